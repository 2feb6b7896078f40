/** What was found when a part of the service was last tried. */
export type ProbeFinding = {
  readonly component: string;
  readonly isWell: boolean;
  /** How long it took, in milliseconds. */
  readonly ms: number;
};

/** What this process found itself when it last tried the parts of the service; nothing where another one does. */
export abstract class ProbeFindings {
  abstract latest(): readonly ProbeFinding[];
}
