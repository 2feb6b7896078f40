/** Cron expressions of five fields (crontab(5)), in UTC. */
export abstract class Schedules {
  /** What is wrong with the expression, as an error message without a subject; null if it can be used. */
  abstract findFault(expression: string): string | null;

  /** The last time at or before `until`; null if there is none. The expression has no fault. */
  abstract previous(expression: string, until: Date): Date | null;
}
