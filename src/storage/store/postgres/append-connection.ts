import { Client, type Pool } from 'pg';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import { alreadyGone } from '../../../kernel/faults/ignored-fault.js';
import { copyConnectionOptions } from '../../postgres/connection-options.js';
import { AppendSession } from './append-session.js';

const notifying = new BackgroundTask('notify_of_appends');

/**
 * The only connection through which a process appends. It is opened on first use and reopened if it is lost, but calls
 * in progress fail. Batches are sent without waiting for earlier responses, so that PostgreSQL can continue without
 * being woken.
 */
export class AppendConnection {
  #session: Promise<AppendSession> | undefined;

  constructor(private readonly pool: Pool) {}

  session(): Promise<AppendSession> {
    this.#session ??= this.#connect();
    return this.#session;
  }

  /** Notifies other processes of earlier appends. If that fails, those processes find the events when they poll. */
  notify(): void {
    this.#session?.then((session) => session.notify()).then(notifying.succeeded, notifying.failed);
  }

  async close(): Promise<void> {
    const session = await this.#session?.catch(alreadyGone);
    await session?.end();
  }

  #connect(): Promise<AppendSession> {
    const client = new Client({ ...copyConnectionOptions(this.pool), keepAlive: true, pipeline: true });
    const session = client.connect().then(() => new AppendSession(client));
    const forget = () => {
      if (this.#session === session) this.#session = undefined;
    };
    client.on('error', forget).once('end', forget);
    session.catch(() => {
      forget();
      return client.end();
    });
    return session;
  }
}
