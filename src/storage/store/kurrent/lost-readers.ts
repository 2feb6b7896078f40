import { setTimeout as pause } from 'node:timers/promises';
import { orAborted } from '../../../kernel/concurrency/or-aborted.js';
import { UnknownPositionError } from './kurrent.connection.js';

/** Interval between attempts to read from a position that the log does not have. */
const AGAIN_AFTER_MS = 1_000;

/** Time without attempts to read after which a reader is assumed to have stopped or recovered. */
const FORGET_MS = 10_000;

/**
 * Readers that request a log position that does not exist. They keep waiting, because the log may be repaired. The
 * operator sees one message per position, and `trouble` describes the problem while it lasts.
 */
export class LostReaders {
  /** Time of the last failed read at each position that is missing from the log. */
  readonly #asked = new Map<bigint, number>();

  constructor(private readonly say: (message: string) => void) {}

  /** Describes the problem and its solution for the operator. */
  get trouble(): string | null {
    const since = performance.now() - FORGET_MS;
    for (const [position, at] of this.#asked) if (at < since) this.#asked.delete(position);
    return this.#asked.size === 0 ? null : words([...this.#asked.keys()]);
  }

  /** Retries a read until the requested position exists. Resolves to undefined if `ended` aborts first. */
  async orTold<Answer>(position: bigint, ask: () => Promise<Answer>, ended: AbortSignal): Promise<Answer | undefined> {
    while (!ended.aborted) {
      try {
        const answer = await ask();
        this.#asked.delete(position);
        return answer;
      } catch (error) {
        if (!(error instanceof UnknownPositionError)) throw error;
        if (!this.#asked.has(position)) this.say(words([position]));
        this.#asked.set(position, performance.now());
        await orAborted(pause(AGAIN_AFTER_MS), ended);
      }
    }
    return undefined;
  }
}

const words = (positions: readonly bigint[]) =>
  `The event store has no event at position ${positions.join(', ')}, where this process must continue. The position belongs to another log, or to a part of this log that was cut off. Restore the complete log. If you want to continue with the incomplete log instead, rebuild the read models (npm run projections -- rebuild) and restart all processes.`;
