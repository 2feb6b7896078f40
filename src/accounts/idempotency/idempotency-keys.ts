import { hash, randomUUID } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { StoreUnavailableError } from '../../kernel/event-store.js';
import type { DataSubject, PersonalDataStore } from '../../kernel/ports/personal-data-stores.js';
import { refuse } from '../../kernel/refusal.js';
import { awaitDatabase } from '../../storage/postgres/database-fault.js';
import type { Table } from '../../storage/tables/table.js';
import { open, seal } from '../keys/sealed.js';
import { Reservation, type StoredResponse } from './reservation.js';

export type KeyedRequest = {
  /**
   * Identifies the caller: a user ID, the hash of an edit token, or an address. Keys of different callers never
   * collide.
   */
  readonly caller: string;
  /** The user who gets the response, or null for a caller who is not signed in. */
  readonly userId: string | null;
  /** The idempotency key as sent by the caller. Only its hash is stored. */
  readonly key: string;
  /** Method, route and query of the request. The body is not included, because it has not been read yet. */
  readonly route: string;
};

/**
 * Whether this is the first attempt to process a request. A `retry` has the IDs of an earlier attempt, which may have
 * completed the work.
 */
export type Attempt = 'first' | 'retry';

export type Reserved<Ids> =
  | { readonly kind: 'go'; readonly attempt: Attempt; readonly reservation: Reservation<Ids> }
  /**
   * The request was already processed, and its response is stored. `fingerprint` is the digest of that request. A
   * different digest means that the caller has reused the key for another request.
   */
  | { readonly kind: 'answered'; readonly fingerprint: string; readonly answer: StoredResponse };

const SCHEMA = `
create table if not exists idempotency (
  key          text primary key,     -- hash of the caller and the key
  route        text not null,        -- hash of method, route and query
  ids          bytea not null,       -- like answer, encrypted with a key derived from the idempotency key
  holder       uuid not null,        -- ID of the lease
  leased_until timestamptz not null,
  fingerprint  text,
  answer       bytea,
  made_at      timestamptz not null default now()
);
create index if not exists idempotency_made_at on idempotency (made_at);
alter table idempotency add column if not exists user_id text; -- null if the caller was not signed in
`;

type IdempotencyRow = {
  readonly route: string;
  readonly ids: Buffer;
  readonly fingerprint: string | null;
  readonly answer: Buffer | null;
  readonly leased: boolean;
  readonly over: boolean;
};

/**
 * Makes retries of requests safe across processes (docs/interface/conventions.md, "Retry safety"). A process that
 * handles a request has a lease on the request’s key, and renews the lease during the work. No other process can repeat
 * the work meanwhile, and after a crash the key is free again within 60 seconds. Responses are kept for 24 hours.
 */
export class IdempotencyKeys implements PersonalDataStore {
  constructor(private readonly pool: Pool) {}

  /** Deletes the stored responses to a user, which may contain personal data such as an email address. */
  async forget({ userId }: Pick<DataSubject, 'userId'>): Promise<void> {
    await awaitDatabase(this.pool.query('delete from idempotency where user_id = $1', [userId]));
  }

  /**
   * Reserves the key for a request, or returns the response of the first request with this key. Throws
   * `idempotency_in_progress` if another attempt is running, `idempotency_key_reused` if the key belongs to another
   * route, `StorageFullError`, or `StoreUnavailableError`.
   */
  async reserve<Ids>({ caller, userId, key, route }: KeyedRequest, makeIds: () => Ids): Promise<Reserved<Ids>> {
    const name = nameOf(caller, key);
    const routeHash = hash('sha256', route);
    const holder = randomUUID();
    const client = await awaitDatabase(this.pool.connect());
    let broken: Error | undefined;
    try {
      await awaitDatabase(client.query('begin'));
      const ids = await this.#take(client, name, userId, key, routeHash, holder, makeIds);
      await awaitDatabase(client.query('commit'));
      return ids;
    } catch (error) {
      if (error instanceof StoreUnavailableError) {
        // If the connection was lost before the commit, the transaction is rolled back. If it was lost after the
        // commit, the key is leased. Release the lease in case it exists.
        broken = error;
        void new Reservation(this.pool, { name, key, holder }, null).letGo();
      } else {
        await awaitDatabase(client.query('rollback')).catch((fault: Error) => {
          broken = fault;
        });
      }
      throw error;
    } finally {
      client.release(broken);
    }
  }

  async isAnswered({ caller, key, route }: KeyedRequest): Promise<boolean> {
    const { rowCount } = await awaitDatabase(
      this.pool.query(
        `select from idempotency where key = $1 and route = $2 and answer is not null
         and made_at >= now() - interval '24 hours'`,
        [nameOf(caller, key), hash('sha256', route)],
      ),
    );
    return rowCount === 1;
  }

  async #take<Ids>(
    client: PoolClient,
    name: string,
    userId: string | null,
    key: string,
    route: string,
    holder: string,
    makeIds: () => Ids,
  ): Promise<Reserved<Ids>> {
    const fresh = makeIds();
    const inserted = await awaitDatabase(
      client.query(
        `insert into idempotency (key, route, ids, holder, user_id, leased_until)
         values ($1, $2, $3, $4, $5, now() + interval '60 seconds') on conflict (key) do nothing`,
        [name, route, seal('stele idempotency', key, fresh), holder, userId],
      ),
    );
    const go = (attempt: Attempt, ids: Ids): Reserved<Ids> => ({
      kind: 'go',
      attempt,
      reservation: new Reservation(this.pool, { name, key, holder }, ids),
    });
    if (inserted.rowCount === 1) return go('first', fresh);

    const { rows } = await awaitDatabase(
      client.query<IdempotencyRow>(
        `select route, ids, fingerprint, answer, leased_until > now() as leased,
                made_at < now() - interval '24 hours' as over
         from idempotency where key = $1 for update`,
        [name],
      ),
    );
    const [row] = rows;
    if (!row) return refuse('idempotency_in_progress', 'The first request with this key has just finished. Try again.');
    if (row.over) {
      await awaitDatabase(
        client.query(
          `update idempotency set route = $2, ids = $3, holder = $4, leased_until = now() + interval '60 seconds',
                  fingerprint = null, answer = null, made_at = now() where key = $1`,
          [name, route, seal('stele idempotency', key, fresh), holder],
        ),
      );
      return go('first', fresh);
    }
    if (row.route !== route) refuse('idempotency_key_reused', 'This key was already used for another URL or query.');
    if (row.answer && row.fingerprint !== null) {
      return {
        kind: 'answered',
        fingerprint: row.fingerprint,
        answer: open('stele idempotency', key, row.answer) as StoredResponse,
      };
    }
    if (row.leased) refuse('idempotency_in_progress', 'The first request with this key is still being processed.');
    await awaitDatabase(
      client.query("update idempotency set holder = $2, leased_until = now() + interval '60 seconds' where key = $1", [
        name,
        holder,
      ]),
    );
    return go('retry', open('stele idempotency', key, row.ids) as Ids);
  }
}

/**
 * Derives the name under which an idempotency key is stored. Different callers who choose the same key get different
 * names.
 */
const nameOf = (caller: string, key: string) => hash('sha256', `${caller}\n${key}`);

export const idempotencyTable: Table<IdempotencyKeys> = {
  name: 'idempotency keys',
  lock: 7_304_001,
  schema: SCHEMA,
  cleaning: { everyMs: 60 * 60_000, statement: "delete from idempotency where made_at < now() - interval '24 hours'" },
  endLeases: 'update idempotency set leased_until = now() where answer is null',
  access: IdempotencyKeys,
  open: ({ pool }) => new IdempotencyKeys(pool),
  keepsPersonalData: true,
};
