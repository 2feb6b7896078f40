import type { Pool, QueryConfig, QueryResultRow } from 'pg';
import { type Session, type SessionPurpose, Sessions } from '../../kernel/ports/sessions.js';
import { refuse } from '../../kernel/refusal.js';
import { answerTo } from '../../postgres/database-fault.js';

const SCHEMA = `
select pg_advisory_xact_lock(hashtextextended('stele sessions schema', 0));
create table if not exists sessions (
  session_id   text primary key,
  token_hash   text not null unique,
  user_id      text not null,
  client       text,
  created_at   timestamptz not null default now(),
  last_used_at timestamptz not null default now()
);
alter table sessions add column if not exists purpose text not null default 'browser';
create index if not exists sessions_of_user on sessions (user_id);
`;

/** As docs/interface.md, "Lifetime of a session" has it. */
const NOT_OVER = `last_used_at > now() - interval '7 days' and created_at > now() - interval '30 days'`;
const COLUMNS = `session_id, user_id, client, purpose, created_at, last_used_at,
  least(last_used_at + interval '7 days', created_at + interval '30 days') as expires_at`;

/** A use is written down this often at most: requests come by the hundred. */
const USED_WITHIN = `interval '1 minute'`;

const FORGET_EVERY_MS = 3_600_000;

type SessionRow = {
  readonly session_id: string;
  readonly user_id: string;
  readonly client: string | null;
  readonly purpose: SessionPurpose;
  readonly created_at: Date;
  readonly last_used_at: Date;
  readonly expires_at: Date;
};

/** Sessions in PostgreSQL, asked at each request: what was ended is over at once, on every process. */
export class SessionsTable extends Sessions {
  constructor(private readonly pool: Pool) {
    super();
  }

  /** Creates the table; once an hour forgets what is over. */
  async start(signal: AbortSignal) {
    await this.pool.query(SCHEMA);
    const forgetting = setInterval(() => {
      this.pool.query(`delete from sessions where not (${NOT_OVER})`).catch(() => undefined);
    }, FORGET_EVERY_MS).unref();
    signal.addEventListener('abort', () => clearInterval(forgetting), { once: true });
  }

  override async begin(session: Parameters<Sessions['begin']>[0]): Promise<Session> {
    const { sessionId, tokenHash, userId, client, purpose } = session;
    const { rows } = await this.#query<SessionRow>(
      `insert into sessions (session_id, token_hash, user_id, client, purpose)
       select $1, $2, user_id, $4, $5 from people where user_id = $3 for key share returning ${COLUMNS}`,
      [sessionId, tokenHash, userId, client, purpose],
    );
    const [row] = rows;
    // Erased since they proved who they are.
    return row ? sessionOf(row) : refuse('unauthenticated', 'This account is gone.');
  }

  override async use(tokenHash: string): Promise<Session | null> {
    const { rows } = await this.#query<SessionRow & { stale: boolean }>({
      name: 'sessions-use',
      text: `select ${COLUMNS}, last_used_at < now() - ${USED_WITHIN} as stale
             from sessions where token_hash = $1 and ${NOT_OVER}`,
      values: [tokenHash],
    });
    const [row] = rows;
    if (!row) return null;
    if (row.stale)
      await this.#query('update sessions set last_used_at = now() where session_id = $1', [row.session_id]);
    return sessionOf(row);
  }

  override async of(userId: string): Promise<readonly Session[]> {
    const { rows } = await this.#query<SessionRow>(
      `select ${COLUMNS} from sessions where user_id = $1 and ${NOT_OVER} order by created_at desc, session_id desc`,
      [userId],
    );
    return rows.map(sessionOf);
  }

  override async end(userId: string, sessionId: string): Promise<boolean> {
    const { rowCount } = await this.#query('delete from sessions where user_id = $1 and session_id = $2', [
      userId,
      sessionId,
    ]);
    return rowCount === 1;
  }

  #query<Row extends QueryResultRow>(query: string | QueryConfig, values?: unknown[]) {
    return answerTo(this.pool.query<Row>(query, values));
  }
}

const sessionOf = (row: SessionRow): Session => ({
  sessionId: row.session_id,
  userId: row.user_id,
  createdAt: row.created_at.toISOString(),
  lastUsedAt: row.last_used_at.toISOString(),
  expiresAt: row.expires_at.toISOString(),
  client: row.client,
  purpose: row.purpose,
});
