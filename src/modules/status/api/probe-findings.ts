import { Injectable } from '@nestjs/common';

export type ProbeFinding = {
  readonly component: string;
  readonly isWell: boolean;
  /** Duration of the probe in milliseconds. */
  readonly ms: number;
};

/** Results of the last probes run by this process. Empty if another process runs the probes. */
@Injectable()
export class LatestProbeFindings {
  latest: readonly ProbeFinding[] = [];
}
