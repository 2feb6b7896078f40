import { randomBytes } from 'node:crypto';
import type { Stele } from 'stele-api/client';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const PROGRESS_EVERY_MS = 2_000;

type Kind = 'run.started' | 'run.progress' | 'run.succeeded' | 'run.failed';

/**
 * Publishes the progress of a run on a page of the instance, which others can open while it happens. A deploy never
 * fails or waits because of it.
 */
export class RunReport {
  readonly url: string;
  readonly #stele: Stele;
  readonly #runId = `run_${Array.from(randomBytes(26), (byte) => ALPHABET[byte % 32]).join('')}`;
  #last: Promise<unknown> = Promise.resolve();
  /** A run that is over soon needs no progress. */
  #nextProgressAt = Date.now() + PROGRESS_EVERY_MS;
  #isLost = false;
  #isEnded = false;

  constructor(stele: Stele) {
    // Whoever follows the run wants to know that it was interrupted.
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

  /** Ends the run. Only the first end counts. */
  end(kind: 'run.succeeded' | 'run.failed', data: { text: string; url?: string }): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#add(kind, data);
  }

  /** Resolves when everything has been sent, or could not be sent. */
  async sent(): Promise<void> {
    await this.#last;
  }

  /** Events are sent one after the other, so that they are recorded in order. */
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
