import { setTimeout as pause } from 'node:timers/promises';
import { orAborted } from '../../kernel/concurrency/or-aborted.js';
import { RETRY_PAUSE } from '../../postgres/database-away.js';
import type { Placed } from '../whole-log.js';
import { type KurrentConnection, mayPass } from './kurrent.connection.js';
import { isOurs, positionOf, toPlaced } from './kurrent.envelope.js';
import type { LogEnd } from './log-end.js';

/** How long a subscription may say nothing before somebody looks whether there was something to say, in milliseconds. */
const PEACE = 2_000;

/** Of the pause before a lost subscription is taken up again: it grows to this, in milliseconds. */
const LONGEST_PAUSE = 3_000;

/** What is new after `position`, by one subscription, taken up again whenever it is lost, or was silent while something was appended. */
export async function* newsAfter(
  connection: KurrentConnection,
  end: LogEnd,
  position: bigint,
  signal: AbortSignal,
): AsyncIterable<readonly Placed[]> {
  let wait = RETRY_PAUSE;
  while (!signal.aborted) {
    try {
      for await (const arrived of connection.appended(position, PEACE, signal)) {
        const events = arrived.filter((event) => isOurs(event) && positionOf(event) > position).map(toPlaced);
        const last = events.at(-1);
        if (!last) {
          if (arrived.length === 0 && (await end.position()) > position) break;
          continue;
        }
        position = last.position;
        wait = RETRY_PAUSE;
        yield events;
      }
    } catch (error) {
      if (!mayPass(error)) throw error;
    }
    await orAborted(pause(wait), signal);
    wait = Math.min(2 * wait, LONGEST_PAUSE);
  }
}
