import { randomBytes } from 'node:crypto';
import type { Stele } from 'stele-api/client';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const PROGRESS_EVERY_MS = 2_000;

type Kind = 'run.started' | 'run.progress' | 'run.succeeded' | 'run.failed';

/**
 * Reports the progress of a run to the instance, which shows it on a page that others can open. A failed report never
 * makes the deploy fail.
 */
export class RunReport {
  readonly url: string;
  readonly #stele: Stele;
  readonly #runId = `run_${Array.from(randomBytes(26), (byte) => ALPHABET[byte % 32]).join('')}`;
  #last: Promise<unknown> = Promise.resolve();
  /** The first progress report is delayed, so that a short run sends none. */
  #nextProgressAt = Date.now() + PROGRESS_EVERY_MS;
  #isLost = false;
  #isEnded = false;

  constructor(stele: Stele) {
    // Send reports without the abort signal of the run, so that the end of an interrupted run is reported too.
    this.#stele = stele.withoutSignal();
    this.url = `${stele.instance}/runs/${this.#runId}`;
  }

  start(text: string): void {
    this.#add('run.started', { text });
  }

  progress(text: string): void {
    if (Date.now() < this.#nextProgressAt) return;
    this.#nextProgressAt = Date.now() + PROGRESS_EVERY_MS;
    this.#add('run.progress', { text });
  }

  /** Reports the end of the run. Further calls have no effect. */
  end(kind: 'run.succeeded' | 'run.failed', data: { text: string; url?: string }): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#add(kind, data);
  }

  /** Resolves once all reports have been sent or one of them has failed. */
  async sent(): Promise<void> {
    await this.#last;
  }

  /** Sends events one after the other, so that they are recorded in order. Gives up after the first failure. */
  #add(kind: Kind, data: Record<string, string>): void {
    this.#last = this.#last
      .then(() => {
        if (this.#isLost) return undefined;
        const body = { runId: this.#runId, kind, data };
        return this.#stele.api.POST('/v1/cli/event', { body, signal: AbortSignal.timeout(5_000) });
      })
      .catch(() => {
        this.#isLost = true;
      });
  }
}
