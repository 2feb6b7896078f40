import type { Pool, QueryConfig, QueryResultRow } from 'pg';
import {
  type Answer,
  type Exchanged,
  type NewTerminalSignIn,
  type Standing,
  type TerminalSignIn,
  TerminalSignIns,
} from '../../kernel/ports/terminal-sign-ins.js';
import { answerTo } from '../../postgres/database-fault.js';

const SCHEMA = `
select pg_advisory_xact_lock(hashtextextended('stele terminal sign-ins schema', 0));
create table if not exists terminal_sign_ins (
  page_hash   text primary key,
  secret_hash text not null unique,
  challenge   text not null,
  address     text not null,
  client      text,
  user_code   text,
  destination text, -- with the terminal's own state, see below
  standing    text not null, -- asked, approved, denied, used
  user_id     text,
  polled_at   timestamptz,
  expires_at  timestamptz not null
);
create index if not exists terminal_sign_ins_over on terminal_sign_ins (expires_at);
`;

/*
 * The state in the destination is not sealed. It is the terminal's own mark, by which it knows the browser that comes
 * back for one it has sent out: it opens nothing. Somebody who read it here could only bring the terminal a code of
 * their own, and would have to be there before the browser, which is sent on with the answer that makes the row; after
 * that the terminal listens no more. Nothing of it is kept longer than it is needed: until the code is exchanged.
 */
const INSERT = `
insert into terminal_sign_ins
  (page_hash, secret_hash, challenge, address, client, user_code, destination, standing, user_id, expires_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, now() + make_interval(secs => $10)) returning expires_at`;

const FORGET_EVERY_MS = 600_000;

type Row = {
  readonly address: string;
  readonly client: string | null;
  readonly user_code: string | null;
  readonly destination: string | null;
  readonly standing: Standing;
  readonly user_id: string | null;
  readonly expires_at: Date;
};

/** What terminals ask for, in PostgreSQL. */
export class TerminalSignInsTable extends TerminalSignIns {
  constructor(private readonly pool: Pool) {
    super();
  }

  /** Creates the table; every ten minutes forgets what is over. */
  async start(signal: AbortSignal) {
    await this.pool.query(SCHEMA);
    const forgetting = setInterval(() => void this.forget().catch(() => undefined), FORGET_EVERY_MS).unref();
    signal.addEventListener('abort', () => clearInterval(forgetting), { once: true });
  }

  /** Deletes what is over, with the addresses that asked. */
  async forget() {
    await this.pool.query('delete from terminal_sign_ins where expires_at < now()');
  }

  override async open(asked: NewTerminalSignIn, userCode: string) {
    return { expiresAt: await this.#insert(asked, [userCode, null, 'asked', null]) };
  }

  override async answered(asked: NewTerminalSignIn, destination: string, { userId, approved }: Answer) {
    await this.#insert(asked, [null, destination, approved ? 'approved' : 'denied', userId]);
  }

  override async answer(pageHash: string, { userId, approved }: Answer): Promise<boolean> {
    const { rowCount } = await this.#query(
      `update terminal_sign_ins set standing = $2, user_id = $3
       where page_hash = $1 and standing = 'asked' and expires_at > now()`,
      [pageHash, approved ? 'approved' : 'denied', userId],
    );
    return rowCount === 1;
  }

  override async find(pageHash: string): Promise<TerminalSignIn | null> {
    const { rows } = await this.#query<Row>(
      `select address, client, user_code, destination, standing, user_id, expires_at
       from terminal_sign_ins where page_hash = $1 and expires_at > now()`,
      [pageHash],
    );
    return rows[0] ? shown(rows[0]) : null;
  }

  override async exchange(secretHash: string, challenge: string, pollMs: number): Promise<Exchanged | null> {
    const { rows } = await this.#query<{ standing: Standing; early: boolean | null }>(
      `select standing, polled_at > now() - $3 * interval '1 millisecond' as early
       from terminal_sign_ins where secret_hash = $1 and challenge = $2 and expires_at > now()`,
      [secretHash, challenge, pollMs],
    );
    const [found] = rows;
    switch (found?.standing) {
      case 'approved':
        return this.#use(secretHash);
      case 'denied':
        return { kind: 'denied' };
      case 'asked':
        // Who asks too often costs a read each time, and never a write.
        if (!found.early) await this.#polled(secretHash);
        return { kind: 'pending', early: found.early === true };
      default:
        return null;
    }
  }

  async #use(secretHash: string): Promise<Exchanged | null> {
    const { rows } = await this.#query<{ user_id: string }>(
      `update terminal_sign_ins set standing = 'used', destination = null
       where secret_hash = $1 and standing = 'approved' and expires_at > now() returning user_id`,
      [secretHash],
    );
    return rows[0] ? { kind: 'approved', userId: rows[0].user_id } : null;
  }

  #polled = (secretHash: string) =>
    this.#query('update terminal_sign_ins set polled_at = now() where secret_hash = $1', [secretHash]);

  async #insert(
    { pageHash, secretHash, challenge, asker, seconds }: NewTerminalSignIn,
    rest: readonly [userCode: string | null, destination: string | null, standing: Standing, userId: string | null],
  ): Promise<string> {
    const { rows } = await this.#query<{ expires_at: Date }>(INSERT, [
      pageHash,
      secretHash,
      challenge,
      asker.address,
      asker.client,
      ...rest,
      seconds,
    ]);
    const [row] = rows;
    if (!row) throw new Error('A row that was inserted was not answered.');
    return row.expires_at.toISOString();
  }

  #query<Row extends QueryResultRow>(query: string | QueryConfig, values?: unknown[]) {
    return answerTo(this.pool.query<Row>(query, values));
  }
}

const shown = (row: Row): TerminalSignIn => ({
  standing: row.standing,
  asker: { address: row.address, client: row.client },
  userCode: row.user_code,
  destination: row.destination,
  userId: row.user_id,
  expiresAt: row.expires_at.toISOString(),
});
