import { hash } from 'node:crypto';
import type { Pool, QueryResultRow } from 'pg';
import { open, seal } from '../../../accounts/keys/sealed.js';
import type { ProviderChallenge } from '../../../kernel/ports/outside/identity-provider.js';
import { awaitDatabase } from '../../../storage/postgres/database-fault.js';
import type { Table } from '../../../storage/tables/table.js';

export type SignInAttempt = {
  readonly asked: ProviderChallenge;
  /** Page of this service to which the user returns after signing in, or null for the default page. */
  readonly returnTo: string | null;
};

const SCHEMA = `
create table if not exists sign_in_attempts (
  state_hash   text primary key,
  browser_hash text not null,
  by_state     bytea not null, -- encrypted with the state
  expires_at   timestamptz not null
);
create index if not exists sign_in_attempts_over on sign_in_attempts (expires_at);
`;

/**
 * Sign-ins in progress at the identity provider. They are kept for ten minutes, so that any process can complete a
 * sign-in begun by another. Only hashes are stored, and each attempt is encrypted with its `state`: a copy of the
 * database is not enough to complete a sign-in.
 */
export class SignInAttemptStore {
  constructor(private readonly pool: Pool) {}

  async keep(state: string, browserHash: string, attempt: SignInAttempt): Promise<void> {
    await this.#query(
      `insert into sign_in_attempts (state_hash, browser_hash, by_state, expires_at)
       values ($1, $2, $3, now() + interval '10 minutes')`,
      [hash('sha256', state), browserHash, seal('stele sign-in attempt', state, attempt)],
    );
  }

  /**
   * Consumes a sign-in attempt; only one of several concurrent calls gets it. Returns null if the attempt is unknown,
   * used or expired. An attempt of another browser is not consumed.
   */
  async take(state: string, browserHash: string): Promise<SignInAttempt | null> {
    const { rows } = await this.#query<{ by_state: Buffer }>(
      `delete from sign_in_attempts where state_hash = $1 and browser_hash = $2 and expires_at > now()
       returning by_state`,
      [hash('sha256', state), browserHash],
    );
    return rows[0] ? (open('stele sign-in attempt', state, rows[0].by_state) as SignInAttempt) : null;
  }

  #query<Row extends QueryResultRow>(text: string, values: unknown[]) {
    return awaitDatabase(this.pool.query<Row>(text, values));
  }
}

export const signInAttemptsTable: Table<SignInAttemptStore> = {
  name: 'sign-in attempts',
  lock: 'stele sign-in attempts schema',
  schema: SCHEMA,
  cleaning: { everyMs: 10 * 60_000, statement: 'delete from sign_in_attempts where expires_at < now()' },
  access: SignInAttemptStore,
  open: ({ pool }) => new SignInAttemptStore(pool),
};
