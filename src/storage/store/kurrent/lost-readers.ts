import { setTimeout as pause } from 'node:timers/promises';
import { orAborted } from '../../../kernel/concurrency/or-aborted.js';
import { UnknownPosition } from './kurrent.connection.js';

/** How often a position that the log does not know is asked for again, in milliseconds. */
const AGAIN_AFTER_MS = 1_000;

/** A reader that has not asked for so long asks no more, or found its position: in milliseconds. */
const FORGET_MS = 10_000;

/**
 * Readers whose position the log does not know. They wait, as the log may be put right; meanwhile the operator is told,
 * once for each position in the log of the process, and by `trouble` for as long as it lasts.
 */
export class LostReaders {
  /** When each position was last asked for in vain. */
  readonly #asked = new Map<bigint, number>();

  constructor(private readonly say: (message: string) => void) {}

  /** In words for the operator, with what to do; null while no reader is lost. */
  get trouble(): string | null {
    const since = performance.now() - FORGET_MS;
    for (const [position, at] of this.#asked) if (at < since) this.#asked.delete(position);
    return this.#asked.size === 0 ? null : words([...this.#asked.keys()]);
  }

  /** Asks for what follows a position until that is known, or until `ended` aborts: then undefined. */
  async orTold<Answer>(position: bigint, ask: () => Promise<Answer>, ended: AbortSignal): Promise<Answer | undefined> {
    while (!ended.aborted) {
      try {
        const answer = await ask();
        this.#asked.delete(position);
        return answer;
      } catch (error) {
        if (!(error instanceof UnknownPosition)) throw error;
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
