import { setTimeout as pause } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';
import { orAborted } from '../../kernel/concurrency/or-aborted.js';
import type { BackgroundTask } from '../../kernel/faults/background-task.js';
import { alreadyGone } from '../../kernel/faults/ignored-fault.js';
import { RETRY_PAUSE } from './retry.js';

export type Listening = {
  readonly channel: string;
  /** What PostgreSQL calls the connection, in `pg_stat_activity`. */
  readonly applicationName: string;
  /** Counts the tries that fail. */
  readonly task: BackgroundTask;
  readonly onMessage: (payload: string) => void;
  /** From now on messages are heard; what was said before may have been missed. */
  readonly onListening?: (client: Client) => void | Promise<void>;
  /** Before the connection is ended; it may be gone already. */
  readonly onLeaving?: () => Promise<void>;
  /** The connection is gone, or could not be made. */
  readonly onLost?: (client: Client) => void;
};

/**
 * Listens to a channel of NOTIFY on a connection of its own until `signal` aborts, and connects again whenever that one
 * is lost.
 */
export async function listenOn(
  config: ClientConfig,
  { channel, applicationName, task, onMessage, onListening, onLeaving, onLost }: Listening,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const client = new Client({ ...config, keepAlive: true, application_name: applicationName });
    const ended = new Promise<void>((resolve) => client.once('end', resolve));
    client.on('error', () => undefined); // the end follows
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
    await orAborted(pause(RETRY_PAUSE), signal);
  }
}
