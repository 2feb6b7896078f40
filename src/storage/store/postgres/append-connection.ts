import { Client, type Pool } from 'pg';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import { alreadyGone } from '../../../kernel/faults/ignored-fault.js';
import { connectionOf } from '../../postgres/connection-of.js';
import { AppendSession } from './append-session.js';

const notifying = new BackgroundTask('notify_of_appends');

/**
 * The one connection that a process appends over. A batch is sent without waiting for the answer to the one before it,
 * so that PostgreSQL goes on to it without being woken. It is made when it is first needed, and made anew after it
 * broke; what was under way over it then fails.
 */
export class AppendConnection {
  #session: Promise<AppendSession> | undefined;

  constructor(
    /** Says where to connect to. */
    private readonly pool: Pool,
  ) {}

  session(): Promise<AppendSession> {
    this.#session ??= this.#connect();
    return this.#session;
  }

  /** Notifies other processes of what was appended. If it fails, they find it when they poll. */
  notify(): void {
    this.#session?.then((session) => session.notify()).then(notifying.succeeded, notifying.failed);
  }

  async close(): Promise<void> {
    const session = await this.#session?.catch(alreadyGone);
    await session?.end();
  }

  #connect(): Promise<AppendSession> {
    const client = new Client({ ...connectionOf(this.pool), keepAlive: true, pipeline: true });
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
