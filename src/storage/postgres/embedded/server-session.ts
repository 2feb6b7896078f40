import { setTimeout as delay } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';
import { systemCode } from './embedded-postgres-error.js';
import { alreadyGone } from './ignored-fault.js';

/** Advisory lock in the database `postgres` that each process holds in shared mode while it uses the server. */
const SHARED_LOCK = 5_735_464;

const acceptsWithin = 60_000;

/** A connection that is open while this process uses the server, no matter which process started the server. */
export class ServerSession {
  private constructor(
    private readonly client: Client,
    /** Resolves when the server stops or the connection is lost. */
    readonly ended: Promise<void>,
  ) {}

  /**
   * Connects once the server accepts connections (it may still be recovering), and creates `database` if it does not
   * exist. Aborting `signal` stops the wait. If the server already accepts connections, this method connects despite
   * the signal, so that the caller can stop the server.
   */
  static async open(connection: ClientConfig, database: string, signal: AbortSignal): Promise<ServerSession> {
    const deadline = Date.now() + acceptsWithin;
    for (;;) {
      const client = new Client({ ...connection, database: 'postgres', application_name: 'stele keeper' });
      const ended = new Promise<void>((resolve) => client.once('end', resolve));
      // Errors are ignored, because a lost connection is reported by `end`.
      client.on('error', () => {});
      try {
        await client.connect();
        await client.query('SELECT pg_advisory_lock_shared($1)', [SHARED_LOCK]);
        await makeDatabase(client, database);
        return new ServerSession(client, ended);
      } catch (error) {
        await client.end().catch(alreadyGone);
        signal.throwIfAborted();
        if (systemCode(error) !== cannotConnectNow || Date.now() > deadline) throw error;
        await delay(20);
      }
    }
  }

  /**
   * Reports whether no other process uses the server. After a result of true, no other process can start using the
   * server until this session ends.
   */
  async isLast(): Promise<boolean> {
    await this.client.query('SELECT pg_advisory_unlock_shared($1)', [SHARED_LOCK]);
    const { rows } = await this.client.query('SELECT pg_try_advisory_lock($1) AS is_last', [SHARED_LOCK]);
    return rows[0]?.is_last === true;
  }

  async close(): Promise<void> {
    await this.client.end().catch(alreadyGone);
  }
}

const cannotConnectNow = '57P03';
const duplicateDatabase = '42P04';
const uniqueViolation = '23505';

async function makeDatabase(client: Client, name: string) {
  const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
  if (rowCount) return;
  await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`).catch((error) => {
    if (![duplicateDatabase, uniqueViolation].includes(systemCode(error) ?? '')) throw error;
  });
}
