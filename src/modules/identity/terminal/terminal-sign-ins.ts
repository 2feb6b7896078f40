import type { Pool, QueryConfig, QueryResultRow } from 'pg';
import { type BusyResult, IS_FREE, reportHeld, SECONDS_LEFT, workOnce } from '../../../accounts/people/work-once.js';
import { awaitDatabase } from '../../../storage/postgres/database-fault.js';
import type { Table } from '../../../storage/tables/table.js';

export type TerminalSignInState = 'asked' | 'approved' | 'denied' | 'used';

export type TerminalRequester = {
  readonly address: string;
  /** Name that the program in the terminal reports for itself. */
  readonly client: string | null;
};

export type TerminalSignIn = {
  readonly state: TerminalSignInState;
  readonly requester: TerminalRequester;
  /**
   * Code that the terminal and the approval page both show, so that the user can compare them. Null if the terminal
   * opened the browser itself and receives the decision from it.
   */
  readonly userCode: string | null;
  /** URL to which the browser takes the decision. Null if the terminal polls for the decision with a ticket. */
  readonly destination: string | null;
  /** ID of the user who approved or denied the sign-in, or null before that. */
  readonly userId: string | null;
  /** Time at which the request expires (RFC 3339). */
  readonly expiresAt: string;
};

export type NewTerminalSignIn = {
  /** Hash of the secret in the URL of the approval page. */
  readonly pageHash: string;
  /** Hash of the code or ticket that the terminal presents. */
  readonly secretHash: string;
  /** Hash of the verifier that the terminal keeps (RFC 7636, S256). */
  readonly challenge: string;
  readonly requester: TerminalRequester;
  /** Lifetime of the request in seconds. After that, it can no longer be decided or exchanged. */
  readonly seconds: number;
};

export type TerminalDecision = { readonly userId: string; readonly approved: boolean };

/** Result of presenting a code or ticket with the correct verifier. */
export type TerminalExchange<Result> =
  | { readonly kind: 'done'; readonly result: Result }
  | BusyResult
  | { readonly kind: 'denied' }
  /** The user has not decided yet. `early` means that the terminal polls far more often than the interval allows. */
  | { readonly kind: 'pending'; readonly early: boolean };

const SCHEMA = `
create table if not exists terminal_sign_ins (
  page_hash   text primary key,
  secret_hash text not null unique,
  challenge   text not null,
  address     text not null,
  client      text,
  user_code   text,
  destination text, -- contains the terminal's own state, see below
  standing    text not null, -- asked, approved, denied, used
  user_id     text,
  polled_at   timestamptz,
  expires_at  timestamptz not null
);
create index if not exists terminal_sign_ins_over on terminal_sign_ins (expires_at);
alter table terminal_sign_ins add column if not exists taken_at timestamptz; -- when an attempt began to create the session
alter table terminal_sign_ins add column if not exists taken_by text;        -- ID of that attempt
`;

/*
 * The `state` parameter in the destination URL is stored unencrypted, because it grants no access. It lets the terminal
 * recognize the browser that it opened. With it, a thief could only send the terminal a code of their own, and only
 * before the browser does: the browser is redirected as soon as this row exists, and the terminal then stops listening.
 * The state is kept only until the code is exchanged.
 */
const INSERT = `
insert into terminal_sign_ins
  (page_hash, secret_hash, challenge, address, client, user_code, destination, standing, user_id, expires_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, now() + make_interval(secs => $10)) returning expires_at`;

type TerminalSignInRow = {
  readonly address: string;
  readonly client: string | null;
  readonly user_code: string | null;
  readonly destination: string | null;
  readonly standing: TerminalSignInState;
  readonly user_id: string | null;
  readonly expires_at: Date;
};

/**
 * Terminals' requests to act for a user (docs/interface/accounts.md, "Sign-in from a terminal"), kept for minutes. Only
 * hashes of codes, tickets and page URLs are stored: a copy of the database is not enough to sign a terminal in.
 */
export class TerminalSignInStore {
  constructor(private readonly pool: Pool) {}

  async open(request: NewTerminalSignIn, userCode: string): Promise<{ readonly expiresAt: string }> {
    return { expiresAt: await this.#insert(request, [userCode, null, 'asked', null]) };
  }

  /** Stores a code together with the user's decision, for a terminal that listens on the user's own machine. */
  async answered(
    request: NewTerminalSignIn,
    destination: string,
    { userId, approved }: TerminalDecision,
  ): Promise<void> {
    await this.#insert(request, [null, destination, approved ? 'approved' : 'denied', userId]);
  }

  /**
   * Records the user's decision about a ticket. Returns false if the ticket is unknown, expired or already decided,
   * possibly by a concurrent call.
   */
  async answer(pageHash: string, { userId, approved }: TerminalDecision): Promise<boolean> {
    const { rowCount } = await this.#query(
      `update terminal_sign_ins set standing = $2, user_id = $3
       where page_hash = $1 and standing = 'asked' and expires_at > now()`,
      [pageHash, approved ? 'approved' : 'denied', userId],
    );
    return rowCount === 1;
  }

  /** Returns the sign-in that an approval page is about, or null if the page is unknown or has expired. */
  async find(pageHash: string): Promise<TerminalSignIn | null> {
    const { rows } = await this.#query<TerminalSignInRow>(
      `select address, client, user_code, destination, standing, user_id, expires_at
       from terminal_sign_ins where page_hash = $1 and expires_at > now()`,
      [pageHash],
    );
    return rows[0] ? terminalSignInOf(rows[0]) : null;
  }

  /**
   * Returns the decision to the terminal that has the verifier. If the request was approved, `begin` creates a session
   * and the request is used up. Meanwhile, concurrent calls find the request reserved. If `begin` throws, rethrows the
   * error, and the request can be exchanged again; after a crash, it can be exchanged again a minute later. Returns
   * null if the request is unknown, used or expired. A wrong verifier changes nothing and also returns null.
   * @param pollMs a terminal that polls again sooner than this is reported as early
   */
  async exchange<Result>(
    secretHash: string,
    challenge: string,
    pollMs: number,
    begin: (userId: string) => Promise<Result>,
  ): Promise<TerminalExchange<Result> | null> {
    const { rows } = await this.#query<{ standing: TerminalSignInState; early: boolean | null }>(
      `select standing, polled_at > now() - $3 * interval '1 millisecond' as early
       from terminal_sign_ins where secret_hash = $1 and challenge = $2 and expires_at > now()`,
      [secretHash, challenge, pollMs],
    );
    const [found] = rows;
    switch (found?.standing) {
      case 'approved':
        return this.#use(secretHash, begin);
      case 'denied':
        return { kind: 'denied' };
      case 'asked':
        // An early poll is not recorded, so a terminal that polls too often causes one read per poll, but no write.
        if (!found.early) await this.#polled(secretHash);
        return { kind: 'pending', early: found.early === true };
      default:
        return null;
    }
  }

  async #use<Result>(
    secretHash: string,
    begin: (userId: string) => Promise<Result>,
  ): Promise<TerminalExchange<Result> | null> {
    const done = await workOnce<string, Result>(
      {
        take: async (lease) => {
          const { rows } = await this.#query<{ user_id: string }>(
            `update terminal_sign_ins set taken_at = now(), taken_by = $2
             where secret_hash = $1 and standing = 'approved' and expires_at > now() and ${IS_FREE} returning user_id`,
            [secretHash, lease],
          );
          return rows[0]?.user_id ?? null;
        },
        giveBack: (lease) =>
          this.#query('update terminal_sign_ins set taken_at = null where secret_hash = $1 and taken_by = $2', [
            secretHash,
            lease,
          ]),
        useUp: (lease) =>
          this.#query(
            `update terminal_sign_ins set standing = 'used', destination = null
             where secret_hash = $1 and taken_by = $2`,
            [secretHash, lease],
          ),
      },
      begin,
    );
    return done ?? this.#held(secretHash);
  }

  /**
   * Returns a result that reports the sign-in request as reserved by another caller, or null if the request was used or
   * has expired.
   */
  async #held(secretHash: string) {
    const { rows } = await this.#query<{ left: number | null }>(
      `select ${SECONDS_LEFT} as left from terminal_sign_ins
       where secret_hash = $1 and standing = 'approved' and expires_at > now()`,
      [secretHash],
    );
    return rows[0] ? reportHeld(rows[0].left) : null;
  }

  #polled = (secretHash: string) =>
    this.#query('update terminal_sign_ins set polled_at = now() where secret_hash = $1', [secretHash]);

  async #insert(
    { pageHash, secretHash, challenge, requester, seconds }: NewTerminalSignIn,
    rest: readonly [
      userCode: string | null,
      destination: string | null,
      standing: TerminalSignInState,
      userId: string | null,
    ],
  ): Promise<string> {
    const { rows } = await this.#query<{ expires_at: Date }>(INSERT, [
      pageHash,
      secretHash,
      challenge,
      requester.address,
      requester.client,
      ...rest,
      seconds,
    ]);
    const [row] = rows;
    if (!row) throw new Error('The database did not return the row it inserted.');
    return row.expires_at.toISOString();
  }

  #query<Row extends QueryResultRow>(query: string | QueryConfig, values?: unknown[]) {
    return awaitDatabase(this.pool.query<Row>(query, values));
  }
}

const terminalSignInOf = (row: TerminalSignInRow): TerminalSignIn => ({
  state: row.standing,
  requester: { address: row.address, client: row.client },
  userCode: row.user_code,
  destination: row.destination,
  userId: row.user_id,
  expiresAt: row.expires_at.toISOString(),
});

export const terminalSignInsTable: Table<TerminalSignInStore> = {
  name: 'terminal sign-ins',
  lock: 'stele terminal sign-ins schema',
  schema: SCHEMA,
  cleaning: { everyMs: 10 * 60_000, statement: 'delete from terminal_sign_ins where expires_at < now()' },
  endLeases: "update terminal_sign_ins set taken_at = null where standing = 'approved' and taken_at is not null",
  access: TerminalSignInStore,
  open: ({ pool }) => new TerminalSignInStore(pool),
};
