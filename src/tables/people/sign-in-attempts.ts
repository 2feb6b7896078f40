import { hash } from 'node:crypto';
import type { Pool, QueryResultRow } from 'pg';
import { type SignInAttempt, SignInAttempts } from '../../kernel/ports/sign-in-attempts.js';
import { answerTo } from '../../postgres/database-fault.js';
import { open, seal } from '../keys/sealed.js';

const SCHEMA = `
select pg_advisory_xact_lock(hashtextextended('stele sign-in attempts schema', 0));
create table if not exists sign_in_attempts (
  state_hash   text primary key,
  browser_hash text not null,
  by_state     bytea not null, -- sealed with the state
  expires_at   timestamptz not null
);
create index if not exists sign_in_attempts_over on sign_in_attempts (expires_at);
`;

const FORGET_EVERY_MS = 600_000;

/** Sign-ins under way in PostgreSQL: any process finishes what another began. */
export class SignInAttemptsTable extends SignInAttempts {
  constructor(private readonly pool: Pool) {
    super();
  }

  /** Creates the table; every ten minutes forgets what is over. */
  async start(signal: AbortSignal) {
    await this.pool.query(SCHEMA);
    const forgetting = setInterval(() => {
      this.pool.query('delete from sign_in_attempts where expires_at < now()').catch(() => undefined);
    }, FORGET_EVERY_MS).unref();
    signal.addEventListener('abort', () => clearInterval(forgetting), { once: true });
  }

  override async keep(state: string, browserHash: string, attempt: SignInAttempt): Promise<void> {
    await this.#query(
      `insert into sign_in_attempts (state_hash, browser_hash, by_state, expires_at)
       values ($1, $2, $3, now() + interval '10 minutes')`,
      [hash('sha256', state), browserHash, seal('stele sign-in attempt', state, attempt)],
    );
  }

  override async take(state: string, browserHash: string): Promise<SignInAttempt | null> {
    const { rows } = await this.#query<{ by_state: Buffer }>(
      `delete from sign_in_attempts where state_hash = $1 and browser_hash = $2 and expires_at > now()
       returning by_state`,
      [hash('sha256', state), browserHash],
    );
    return rows[0] ? (open('stele sign-in attempt', state, rows[0].by_state) as SignInAttempt) : null;
  }

  #query<Row extends QueryResultRow>(text: string, values: unknown[]) {
    return answerTo(this.pool.query<Row>(text, values));
  }
}
