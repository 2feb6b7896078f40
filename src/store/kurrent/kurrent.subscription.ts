import { setTimeout as pause } from 'node:timers/promises';
import { orAborted } from '../../kernel/concurrency/or-aborted.js';
import { RETRY_PAUSE } from '../../postgres/retry.js';
import type { PositionedEvent } from '../whole-log.js';
import { isTransient, type KurrentConnection } from './kurrent.connection.js';
import { isOurs, positionOf, toPositioned } from './kurrent.envelope.js';
import type { LogEnd } from './log-end.js';

/** How long a subscription may say nothing before somebody looks whether there was something to say, in milliseconds. */
const IDLE_MS = 2_000;

/** Of the pause before a lost subscription is taken up again: it grows to this, in milliseconds. */
const MAX_PAUSE = 3_000;

/** What is new after `position`, by one subscription, taken up again whenever it is lost, or was silent while something was appended. */
export async function* subscribeAfter(
  connection: KurrentConnection,
  end: LogEnd,
  position: bigint,
  signal: AbortSignal,
): AsyncIterable<readonly PositionedEvent[]> {
  let wait = RETRY_PAUSE;
  while (!signal.aborted) {
    try {
      for await (const received of connection.subscribe(position, IDLE_MS, signal)) {
        const events = received.filter((event) => isOurs(event) && positionOf(event) > position).map(toPositioned);
        const last = events.at(-1);
        if (!last) {
          if (received.length === 0 && (await end.position()) > position) break;
          continue;
        }
        position = last.position;
        wait = RETRY_PAUSE;
        yield events;
      }
    } catch (error) {
      if (!isTransient(error)) throw error;
    }
    await orAborted(pause(wait), signal);
    wait = Math.min(2 * wait, MAX_PAUSE);
  }
}
