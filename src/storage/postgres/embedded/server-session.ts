import { setTimeout as delay } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';
import { systemCode } from './embedded-postgres-error.js';
import { alreadyGone } from './ignored-fault.js';

/**
 * The advisory lock that every process holds shared while it uses this server, in the database `postgres`, where
 * nothing else takes locks.
 */
const SHARED_LOCK = 5_735_464;

const acceptsWithin = 60_000;

/** A connection held open for as long as we use the server: it ends when the server does, no matter what started it. */
export class ServerSession {
  private constructor(
    private readonly client: Client,
    /** Resolves when the server has gone away, or this connection has. */
    readonly ended: Promise<void>,
  ) {}

  /** Connects as soon as the server accepts it (it may be recovering), and makes `database` unless it exists. */
  static async open(connection: ClientConfig, database: string): Promise<ServerSession> {
    const deadline = Date.now() + acceptsWithin;
    for (;;) {
      const client = new Client({ ...connection, database: 'postgres', application_name: 'stele keeper' });
      const ended = new Promise<void>((resolve) => client.once('end', resolve));
      // What it has to say is that the connection is gone, which `end` says too.
      client.on('error', () => {});
      try {
        await client.connect();
        await client.query('SELECT pg_advisory_lock_shared($1)', [SHARED_LOCK]);
        await makeDatabase(client, database);
        return new ServerSession(client, ended);
      } catch (error) {
        await client.end().catch(alreadyGone);
        if (systemCode(error) !== cannotConnectNow || Date.now() > deadline) throw error;
        await delay(20);
      }
    }
  }

  /** Whether no other process uses the server. From then on none can begin to, until this session ends. */
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
