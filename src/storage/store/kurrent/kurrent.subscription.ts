import { setTimeout as pause } from 'node:timers/promises';
import { orAborted } from '../../../kernel/concurrency/or-aborted.js';
import { RETRY_PAUSE_MS } from '../../postgres/retry.js';
import type { PositionedEvent } from '../whole-log.js';
import { isTransient, type KurrentConnection, UnknownPositionError } from './kurrent.connection.js';
import { isOurs, readPosition, toPositioned } from './kurrent.envelope.js';
import type { LogEnd } from './log-end.js';

/** Time without events after which the end of the log is checked for events that were missed. */
const IDLE_MS = 2_000;

/** Maximum pause before a lost subscription is restarted. The pause doubles with each attempt. */
const MAX_PAUSE_MS = 3_000;

/**
 * Yields our events after `position` until `signal` aborts. Restarts the subscription if it is lost, or if it delivered
 * nothing although events were appended. Throws `UnknownPositionError` if the log no longer has that position.
 */
export async function* subscribeToLog(
  connection: KurrentConnection,
  end: LogEnd,
  position: bigint,
  signal: AbortSignal,
): AsyncIterable<readonly PositionedEvent[]> {
  let wait = RETRY_PAUSE_MS;
  while (!signal.aborted) {
    try {
      for await (const received of connection.subscribe(position, IDLE_MS, signal)) {
        const events = received.filter((event) => isOurs(event) && readPosition(event) > position).map(toPositioned);
        const last = events.at(-1);
        if (!last) {
          if (received.length > 0) continue;
          const last = await end.position();
          if (last < position) throw new UnknownPositionError(position);
          if (last > position) break;
          continue;
        }
        position = last.position;
        wait = RETRY_PAUSE_MS;
        yield events;
      }
    } catch (error) {
      if (!isTransient(error)) throw error;
    }
    await orAborted(pause(wait), signal);
    wait = Math.min(2 * wait, MAX_PAUSE_MS);
  }
}
