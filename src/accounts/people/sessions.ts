import type { Pool, QueryConfig, QueryResultRow } from 'pg';
import { refuse } from '../../kernel/refusal.js';
import { awaitDatabase } from '../../storage/postgres/database-fault.js';
import type { Table } from '../../storage/tables/table.js';

/**
 * Kinds of clients that can have a session: a browser, a client that opened a mailed link, or a terminal that the user
 * approved.
 */
export type SessionPurpose = 'browser' | 'program' | 'terminal';

/** A session: a user who is signed in on a device. Times are in RFC 3339 format. */
export type Session = {
  readonly sessionId: string;
  readonly userId: string;
  readonly createdAt: string;
  readonly lastUsedAt: string;
  /** Time at which the session expires unless it is used again. */
  readonly expiresAt: string;
  /** Name that the client reported for itself, or null. */
  readonly client: string | null;
  readonly purpose: SessionPurpose;
};

export type NewSession = {
  readonly sessionId: string;
  readonly tokenHash: string;
  readonly userId: string;
  readonly client: string | null;
  readonly purpose: SessionPurpose;
};

const SCHEMA = `
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

/** SQL condition for sessions that have not expired (docs/interface/accounts.md, "Sessions"). */
const NOT_OVER = `last_used_at > now() - interval '7 days' and created_at > now() - interval '30 days'`;
const COLUMNS = `session_id, user_id, client, purpose, created_at, last_used_at,
  least(last_used_at + interval '7 days', created_at + interval '30 days') as expires_at`;

const MAX_SESSIONS = 100;

/** Minimum interval between recorded uses of a session, because a session can be used many times per minute. */
const USED_WITHIN = `interval '1 minute'`;

type SessionRow = {
  readonly session_id: string;
  readonly user_id: string;
  readonly client: string | null;
  readonly purpose: SessionPurpose;
  readonly created_at: Date;
  readonly last_used_at: Date;
  readonly expires_at: Date;
};

/**
 * Sessions (docs/interface/accounts.md, "Sessions"). Only hashes of tokens are stored. Every request reads the table,
 * so that ending a session takes effect immediately in all processes.
 */
export class SessionStore {
  constructor(private readonly pool: Pool) {}

  /**
   * Creates a session. A session with this ID already exists if the client did not receive the first response. In that
   * case, replaces the session's token. Ends the least recently used sessions if the user has too many. Throws
   * `unauthenticated` if the user has been erased.
   */
  async begin({ sessionId, tokenHash, userId, client, purpose }: NewSession): Promise<Session> {
    const { rows } = await this.#query<SessionRow>(
      `with too_many as (delete from sessions where session_id in (
         select session_id from sessions where user_id = $3 and session_id <> $1
         order by last_used_at desc, session_id desc offset ${MAX_SESSIONS - 1}))
       insert into sessions (session_id, token_hash, user_id, client, purpose)
       select $1, $2, user_id, $4, $5 from people where user_id = $3 for key share
       on conflict (session_id) do update set token_hash = excluded.token_hash, client = excluded.client,
         purpose = excluded.purpose, created_at = now(), last_used_at = now()
       where sessions.user_id = excluded.user_id returning ${COLUMNS}`,
      [sessionId, tokenHash, userId, client, purpose],
    );
    const [row] = rows;
    // No row means that the user was erased after authenticating.
    return row ? sessionOf(row) : refuse('unauthenticated', 'This account no longer exists.');
  }

  /** Finds a session by token, and marks it as used. Returns null if it is unknown, expired or ended. */
  async use(tokenHash: string): Promise<Session | null> {
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

  /** Reports whether a session has not been ended. An expired session exists until the next cleanup. */
  async exists(sessionId: string): Promise<boolean> {
    const { rowCount } = await this.#query('select from sessions where session_id = $1', [sessionId]);
    return rowCount === 1;
  }

  async of(userId: string): Promise<readonly Session[]> {
    const { rows } = await this.#query<SessionRow>(
      `select ${COLUMNS} from sessions where user_id = $1 and ${NOT_OVER} order by created_at desc, session_id desc`,
      [userId],
    );
    return rows.map(sessionOf);
  }

  /** Ends a session. Returns false if the user has no such session. */
  async end(userId: string, sessionId: string): Promise<boolean> {
    const { rowCount } = await this.#query('delete from sessions where user_id = $1 and session_id = $2', [
      userId,
      sessionId,
    ]);
    return rowCount === 1;
  }

  async endAll(userId: string): Promise<void> {
    await this.#query('delete from sessions where user_id = $1', [userId]);
  }

  #query<Row extends QueryResultRow>(query: string | QueryConfig, values?: unknown[]) {
    return awaitDatabase(this.pool.query<Row>(query, values));
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

export const sessionsTable: Table<SessionStore> = {
  name: 'sessions',
  lock: 'stele sessions schema',
  schema: SCHEMA,
  cleaning: { everyMs: 60 * 60_000, statement: `delete from sessions where not (${NOT_OVER})` },
  access: SessionStore,
  open: ({ pool }) => new SessionStore(pool),
};
