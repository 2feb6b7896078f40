import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { LogIdentity } from '../../../projections/projector/log-identity.js';
import { SiteActivity } from '../site-log/site-activity.js';

/** Maximum time that a reader of a log waits for earlier writes (docs/interface/conventions.md, "Read your writes"). */
const PATIENCE_MS = 2_000;
const LOOK_EVERY_MS = 15;

/** Tracks the position up to which the event log has been copied to the logs of sites. */
@Injectable()
export class ActivityProgress {
  #reading: Promise<bigint> | null = null;

  constructor(
    private readonly activity: SiteActivity,
    private readonly logIdentity: LogIdentity,
  ) {}

  /** Resolves when all events up to a position have been copied, or after two seconds. Returns the position reached. */
  async reached(position: bigint): Promise<bigint> {
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      const reached = await this.#read();
      if (reached >= position || performance.now() > until) return reached;
      await pause(LOOK_EVERY_MS);
    }
  }

  #read(): Promise<bigint> {
    this.#reading ??= this.logIdentity
      .name()
      .then((log) => this.activity.position(log))
      .finally(() => {
        this.#reading = null;
      });
    return this.#reading;
  }
}
