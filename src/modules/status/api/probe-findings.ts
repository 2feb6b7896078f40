import { Injectable } from '@nestjs/common';

/** The result of the last probe of a component. */
export type ProbeFinding = {
  readonly component: string;
  readonly isWell: boolean;
  /** Duration of the probe, in milliseconds. */
  readonly ms: number;
};

/** The results of the last probes that this process ran itself. Empty if another process probes. */
@Injectable()
export class LatestProbeFindings {
  latest: readonly ProbeFinding[] = [];
}
