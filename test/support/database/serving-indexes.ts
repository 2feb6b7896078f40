import { expect } from '@jest/globals';
import { siteStream } from '../../../src/events/site/site.events.js';
import type { DomainEvent } from '../../../src/kernel/decider.js';
import { ServingIndex } from '../../../src/modules/serving/sites/serving-index.js';
import { ProjectionProcesses } from './projection-processes.js';

/** A log, and any number of serving indexes that behave as if in separate processes. */
export class ServingIndexes {
  readonly #stopping = new AbortController();

  private constructor(readonly keeping: ProjectionProcesses) {}

  static open = async () => new ServingIndexes(await ProjectionProcesses.open());

  /** Returns the index of a new process. Its read models are updated only by `readModelsCaughtUp`. */
  async started(): Promise<ServingIndex> {
    const { checkpoints, db } = await this.keeping.process();
    const index = new ServingIndex(this.keeping.store, checkpoints, db);
    await index.start(this.#stopping.signal);
    return index;
  }

  /** Appends events to the stream of `site_1` as another process would, and returns their position. */
  async happened(...events: DomainEvent[]): Promise<bigint> {
    const appended = await this.keeping.store.write(siteStream('site_1'), ...events);
    return appended === 'conflict' ? 0n : appended.position;
  }

  /** Updates the read models to the end of the log, in a separate process. */
  async readModelsCaughtUp() {
    const process = await this.keeping.process();
    await process.keep();
    const last = await this.keeping.store.lastPosition();
    expect(await process.checkpoints.reached(last)).toBe(last);
    await process.stop();
  }

  /** Aborts the signal of all indexes, without waiting for them to stop. */
  stop() {
    this.#stopping.abort();
  }

  async close() {
    this.stop();
    await this.keeping.close();
  }
}
