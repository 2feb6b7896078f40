/** Cron expressions of five fields (crontab(5)), in UTC. */
export abstract class Schedules {
  /** What is wrong with the expression, as an error message without a subject; null if it is valid. */
  abstract findFault(expression: string): string | null;

  /** The last time at or before `until`; null if there is none. The expression must be valid. */
  abstract previous(expression: string, until: Date): Date | null;
}
