import { setTimeout as pause } from 'node:timers/promises';
import type { BackgroundTask } from '../../../kernel/faults/background-task.js';
import { waitEnded } from '../../../kernel/faults/ignored-fault.js';
import { type AccessBatch, type AccessEntries, RejectedEntriesError } from './tables/access-entries.js';
import type { WaitingEntries } from './waiting-entries.js';

const MAX_ROWS = 5_000;

/** AFTER_MS is the delay before a log entry is written, EVERY_MS the interval between the starts of two batches. */
const AFTER_MS = 200;
const EVERY_MS = 1_000;

const AGAIN_AFTER_MS = 1_000;

/** Number of attempts for a batch that the database refuses. */
const TRIES = 3;

/** Time for which a stopping process continues to write log entries. */
const FINISH_MS = 2_000;

/** Writes one batch of log entries at a time, and retries each batch until it is stored or refused too often. */
export class TrafficWriter {
  written = 0;
  failedBatches = 0;
  /** Number of requests in batches that were abandoned. */
  lost = 0;
  underWay = 0;
  #number = 0;
  #lastAt = Number.NEGATIVE_INFINITY;
  #writing: Promise<void> | null = null;
  #signal = AbortSignal.abort();

  constructor(
    private readonly entries: Pick<AccessEntries, 'write' | 'partitions'>,
    private readonly waiting: WaitingEntries,
    private readonly process: string,
    private readonly task: Pick<BackgroundTask, 'failed' | 'succeeded'>,
  ) {}

  start(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Schedules a write. Must be called after log entries have been added. */
  write() {
    if (this.#writing || this.#signal.aborted || !this.#hasWork()) return;
    this.#writing = this.#run().finally(() => {
      this.#writing = null;
      this.write();
    });
  }

  /** Resolves when no log entries are waiting, or after a time limit. Remaining entries are lost. */
  async finish(): Promise<void> {
    const end = performance.now() + FINISH_MS;
    const late = pause(FINISH_MS, undefined, { ref: false });
    await Promise.race([this.#writing, late]);
    while (this.#hasWork() && performance.now() < end) {
      const batch = this.#next();
      const done = this.#send(batch).catch(this.#failed);
      if (!(await Promise.race([done, late.then(() => false)]))) return;
    }
  }

  #hasWork() {
    return this.waiting.size > 0 || this.waiting.hasDropped;
  }

  async #run(): Promise<void> {
    const due = Math.max(AFTER_MS, this.#lastAt + EVERY_MS - performance.now());
    await pause(due, undefined, { ref: false, signal: this.#signal }).catch(waitEnded);
    this.#lastAt = performance.now();
    const batch = this.#next();
    for (let tries = 1; ; tries++) {
      try {
        await this.#send(batch);
        return this.task.succeeded();
      } catch (error) {
        this.#failed(error);
        // Give up a batch that the database refuses: it would be refused every time, and would block all others.
        if (error instanceof RejectedEntriesError && tries >= TRIES) return this.#giveUp(batch);
        this.entries.partitions.forgetKnown();
      }
      if (this.#signal.aborted) return;
      await pause(AGAIN_AFTER_MS, undefined, { ref: false, signal: this.#signal }).catch(waitEnded);
    }
  }

  #next(): AccessBatch {
    const { entries, dropped } = this.waiting.take(MAX_ROWS);
    this.underWay = entries.length;
    this.#number += 1;
    return { process: this.process, number: this.#number, entries, dropped };
  }

  async #send(batch: AccessBatch): Promise<true> {
    await this.entries.write(batch);
    this.written += batch.entries.length;
    this.underWay = 0;
    return true;
  }

  readonly #failed = (error: unknown): false => {
    this.failedBatches += 1;
    this.task.failed(error);
    return false;
  };

  #giveUp({ entries, dropped }: AccessBatch) {
    this.underWay = 0;
    for (const { siteId, at, hits } of entries) {
      this.lost += hits;
      this.waiting.drop(siteId, at, hits);
    }
    for (const { siteId, day, hits } of dropped) this.waiting.drop(siteId, day * 86_400_000, hits);
  }
}
