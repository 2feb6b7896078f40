import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import { waitEnded } from '../../../kernel/faults/ignored-fault.js';
import { type ServerLine, ServerLog } from './server-log.js';

const EVERY_MS = 200;
const AT_ONCE = 1_000;
/** Maximum number of lines that are buffered while the database is unavailable. Further lines are discarded. */
const MAX_WAITING = 20_000;

/** Writes the output of servers to the logs of their sites, in batches with a short delay. */
@Injectable()
export class LogWriter {
  readonly #task = new BackgroundTask('write_server_logs');
  #waiting: ServerLine[] = [];
  #going: Promise<void> = Promise.resolve();

  constructor(private readonly log: ServerLog) {}

  start(signal: AbortSignal): void {
    this.#going = this.#write(signal);
  }

  /** Resolves when all lines have been written or have failed. Must be called after the signal has aborted. */
  async stopped(): Promise<void> {
    await this.#going;
    await this.#task.run(() => this.#writeAll());
  }

  add(line: ServerLine): void {
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push(line);
  }

  async #write(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await delay(EVERY_MS, undefined, { signal, ref: false }).catch(waitEnded);
      if (this.#waiting.length > 0) await this.#task.run(() => this.#writeAll());
    }
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, AT_ONCE);
      await this.log.add(batch);
      this.#waiting = this.#waiting.slice(batch.length);
    }
  }
}
