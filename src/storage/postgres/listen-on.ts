import { setTimeout as pause } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';
import { orAborted } from '../../kernel/concurrency/or-aborted.js';
import type { BackgroundTask } from '../../kernel/faults/background-task.js';
import { alreadyGone } from '../../kernel/faults/ignored-fault.js';
import { RETRY_PAUSE_MS } from './retry.js';

export type Listening = {
  readonly channel: string;
  /** Name of the connection in `pg_stat_activity`. */
  readonly applicationName: string;
  readonly task: BackgroundTask;
  readonly onMessage: (payload: string) => void;
  /** Called once the connection receives messages. Earlier messages may have been lost. */
  readonly onListening?: (client: Client) => void | Promise<void>;
  /** Called before the connection is closed, even if it is already lost. */
  readonly onLeaving?: () => Promise<void>;
  readonly onLost?: (client: Client) => void;
};

/** Listens to a channel on a separate connection until `signal` aborts, and reconnects if the connection is lost. */
export async function listenToChannel(
  config: ClientConfig,
  { channel, applicationName, task, onMessage, onListening, onLeaving, onLost }: Listening,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const client = new Client({ ...config, keepAlive: true, application_name: applicationName });
    const ended = new Promise<void>((resolve) => client.once('end', resolve));
    client.on('error', () => undefined); // Errors are ignored, because a lost connection also emits `end`.
    client.on('notification', ({ payload = '' }) => onMessage(payload));
    try {
      await client.connect();
      await client.query(`listen ${channel}`);
      task.succeeded();
      await onListening?.(client);
      await orAborted(ended, signal);
      await onLeaving?.();
    } catch (error) {
      if (!signal.aborted) task.failed(error);
    }
    onLost?.(client);
    await client.end().catch(alreadyGone);
    await orAborted(pause(RETRY_PAUSE_MS), signal);
  }
}
