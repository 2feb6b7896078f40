/** The result of the last check of a component. */
export type ProbeFinding = {
  readonly component: string;
  readonly isWell: boolean;
  /** How long the check took. */
  readonly ms: number;
};

/** The latest results of checks by this process; empty if another process does them. */
export abstract class ProbeFindings {
  abstract latest(): readonly ProbeFinding[];
}
