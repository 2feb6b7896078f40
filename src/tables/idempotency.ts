import { hash, randomUUID } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { StoreUnavailable } from '../kernel/event-store.js';
import {
  type Attempt,
  IdempotencyKeys,
  type KeptAnswer,
  type KeyedRequest,
  Reservation,
  type Reserved,
} from '../kernel/ports/idempotency.js';
import type { Person } from '../kernel/ports/people.js';
import { refuse } from '../kernel/refusal.js';
import { answerTo } from '../postgres/database-fault.js';
import { open, seal } from './keys/sealed.js';

const SCHEMA_LOCK = 7_304_001;
const PURPOSE = 'stele idempotency';

const SCHEMA = `
create table if not exists idempotency (
  key          text primary key,     -- hash of the caller and the key
  route        text not null,        -- hash of method, route and query
  ids          bytea not null,       -- sealed with a key derived from the idempotency key, as is the answer
  holder       uuid not null,        -- of the lease
  leased_until timestamptz not null,
  fingerprint  text,
  answer       bytea,
  made_at      timestamptz not null default now()
);
create index if not exists idempotency_made_at on idempotency (made_at);
alter table idempotency add column if not exists user_id text; -- whose answer it is; null where nobody is signed in
`;

type IdempotencyRow = {
  readonly route: string;
  readonly ids: Buffer;
  readonly fingerprint: string | null;
  readonly answer: Buffer | null;
  readonly leased: boolean;
  readonly over: boolean;
};

const LEASE_MS = 60_000;
const RENEW_MS = 20_000;
/** Between two tries to give a lease back, in milliseconds. */
const END_AGAIN_MS = 100;
/** Whoever is answered waits for so long until the lease is given back; then it goes on without them. Milliseconds. */
const END_WITHIN_MS = 1_000;
const FORGET_EVERY_MS = 3_600_000;

/** Keys in PostgreSQL, for all processes on it. */
export class IdempotencyTable extends IdempotencyKeys {
  constructor(private readonly pool: Pool) {
    super();
  }

  /**
   * Creates the table. A process that is `alone` on its database knows that whoever held a lease is gone, and ends
   * them all. Once an hour forgets what is older than a day.
   */
  async start(signal: AbortSignal, alone: boolean) {
    await this.pool.query(`select pg_advisory_xact_lock(${SCHEMA_LOCK}); ${SCHEMA}`);
    if (alone) await this.pool.query('update idempotency set leased_until = now() where answer is null');
    const forgetting = setInterval(() => this.#forget(), FORGET_EVERY_MS).unref();
    signal.addEventListener('abort', () => clearInterval(forgetting), { once: true });
  }

  #forget() {
    // Rows of yesterday are not used again in any case: an hour later will do as well.
    this.pool.query("delete from idempotency where made_at < now() - interval '24 hours'").catch(() => undefined);
  }

  override async forget({ userId }: Pick<Person, 'userId'>) {
    await answerTo(this.pool.query('delete from idempotency where user_id = $1', [userId]));
  }

  override async reserve<Ids>(
    { caller, userId, key, route }: KeyedRequest,
    makeIds: () => Ids,
  ): Promise<Reserved<Ids>> {
    const name = nameOf(caller, key);
    const routeHash = hash('sha256', route);
    const holder = randomUUID();
    const client = await answerTo(this.pool.connect());
    let broken: Error | undefined;
    try {
      await answerTo(client.query('begin'));
      const ids = await this.#take(client, name, userId, key, routeHash, holder, makeIds);
      await answerTo(client.query('commit'));
      return ids;
    } catch (error) {
      if (error instanceof StoreUnavailable) {
        // What it had begun goes with the connection; what it may have ended nobody else would know of.
        broken = error;
        void new LeasedReservation(this.pool, name, key, holder, null, 'first').letGo();
      } else {
        await answerTo(client.query('rollback')).catch((fault: Error) => {
          broken = fault;
        });
      }
      throw error;
    } finally {
      client.release(broken);
    }
  }

  override async isAnswered({ caller, key, route }: KeyedRequest): Promise<boolean> {
    const { rowCount } = await answerTo(
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
    const inserted = await answerTo(
      client.query(
        `insert into idempotency (key, route, ids, holder, user_id, leased_until)
         values ($1, $2, $3, $4, $5, now() + interval '60 seconds') on conflict (key) do nothing`,
        [name, route, seal(PURPOSE, key, fresh), holder, userId],
      ),
    );
    const go = (ids: Ids, attempt: Attempt): Reserved<Ids> => ({
      kind: 'go',
      reservation: new LeasedReservation(this.pool, name, key, holder, ids, attempt),
    });
    if (inserted.rowCount === 1) return go(fresh, 'first');

    const { rows } = await answerTo(
      client.query<IdempotencyRow>(
        `select route, ids, fingerprint, answer, leased_until > now() as leased,
                made_at < now() - interval '24 hours' as over
         from idempotency where key = $1 for update`,
        [name],
      ),
    );
    const [row] = rows;
    if (!row) return refuse('idempotency_in_progress', 'The first try with this key has just ended. Try again.');
    if (row.over) {
      await answerTo(
        client.query(
          `update idempotency set route = $2, ids = $3, holder = $4, leased_until = now() + interval '60 seconds',
                  fingerprint = null, answer = null, made_at = now() where key = $1`,
          [name, route, seal(PURPOSE, key, fresh), holder],
        ),
      );
      return go(fresh, 'first');
    }
    if (row.route !== route) refuse('idempotency_key_reused', 'This key was used for another address or query.');
    if (row.answer && row.fingerprint !== null) {
      return { kind: 'answered', fingerprint: row.fingerprint, answer: open(PURPOSE, key, row.answer) as KeptAnswer };
    }
    if (row.leased) refuse('idempotency_in_progress', 'The first request with this key is still being answered.');
    await answerTo(
      client.query("update idempotency set holder = $2, leased_until = now() + interval '60 seconds' where key = $1", [
        name,
        holder,
      ]),
    );
    return go(open(PURPOSE, key, row.ids) as Ids, 'retry');
  }
}

/** A key of one caller never meets the same one of another. */
const nameOf = (caller: string, key: string) => hash('sha256', `${caller}\n${key}`);

class LeasedReservation<Ids> extends Reservation<Ids> {
  readonly #renewing: NodeJS.Timeout;
  readonly #values: readonly [name: string, holder: string];

  constructor(
    private readonly pool: Pool,
    name: string,
    private readonly key: string,
    holder: string,
    readonly ids: Ids,
    readonly attempt: Attempt,
  ) {
    super();
    this.#values = [name, holder];
    this.#renewing = setInterval(() => this.#renew(), RENEW_MS).unref();
  }

  override async keep(fingerprint: string, answer: KeptAnswer) {
    clearInterval(this.#renewing);
    const values = [...this.#values, fingerprint, seal(PURPOSE, this.key, answer)];
    await answerTo(
      this.pool.query('update idempotency set fingerprint = $3, answer = $4 where key = $1 and holder = $2', values),
    );
  }

  override release() {
    return this.#end('delete from idempotency where key = $1 and holder = $2 and answer is null');
  }

  override letGo() {
    return this.#end('update idempotency set leased_until = now() where key = $1 and holder = $2 and answer is null');
  }

  /** Whoever was told to come back is not to find the key taken: where it cannot be said now, it is said later. */
  async #end(statement: string) {
    clearInterval(this.#renewing);
    const over = performance.now() + LEASE_MS;
    const say = () => answerTo(this.pool.query(statement, [...this.#values]));
    const sayLater = () => {
      if (performance.now() < over) setTimeout(() => say().catch(sayLater), END_AGAIN_MS).unref();
    };
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, END_WITHIN_MS);
    });
    await Promise.race([say().catch(sayLater), late]);
    clearTimeout(timer);
  }

  #renew() {
    // Too late is harmless: another try then finds the work done, by the same ids.
    this.pool
      .query("update idempotency set leased_until = now() + interval '60 seconds' where key = $1 and holder = $2", [
        ...this.#values,
      ])
      .catch(() => undefined);
  }
}
