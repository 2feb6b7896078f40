import type { Pool, QueryConfig, QueryResultRow } from 'pg';
import type { DataSubject, PersonalDataStore } from '../../kernel/ports/personal-data-stores.js';
import { refuse } from '../../kernel/refusal.js';
import type { DelegatedRole, Delegation } from '../../kernel/rights/delegation.js';
import { awaitDatabase } from '../../storage/postgres/database-fault.js';
import type { Queryable } from '../../storage/postgres/queryable.js';
import { transaction } from '../../storage/postgres/transaction.js';
import type { Table } from '../../storage/tables/table.js';

/** The site that an access token is limited to, and the membership of the token's creator on that site. */
export type AccessTokenSite = { readonly siteId: string; readonly memberId: string };

export type NewAccessToken = {
  readonly tokenId: string;
  /** Hexadecimal SHA-256 hash of the token. */
  readonly tokenHash: string;
  readonly userId: string;
  /** A description of the token, chosen by the user. */
  readonly name: string;
  readonly role: DelegatedRole;
  /** The site that the token is limited to, or null for all sites of the user. */
  readonly site: AccessTokenSite | null;
  /** The trusted publisher that the token was issued to. Null if a user created the token. */
  readonly publisherId: string | null;
  /** Time of creation, as returned to the token’s creator (RFC 3339). */
  readonly createdAt: string;
  /** Expiry of the token (RFC 3339), or null if it does not expire. */
  readonly expiresAt: string | null;
};

/** An access token as shown in a list. Times are in RFC 3339 format. */
export type AccessToken = {
  readonly tokenId: string;
  readonly name: string;
  readonly role: DelegatedRole;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  /** The day (UTC) on which the token was last used, or null if it was never used. */
  readonly lastUsedAt: string | null;
};

export type TokenHolder = { readonly userId: string; readonly delegation: Delegation };

const SCHEMA = `
create table if not exists access_tokens (
  token_id     text primary key,
  token_hash   text unique, -- null for a revoked token, whose name is kept for the history
  user_id      text not null references people on delete cascade,
  site_id      text, -- null for all sites of the user; otherwise, member_id is the required membership
  member_id    text,
  check ((site_id is null) = (member_id is null)),
  publisher_id text references publishers on delete cascade,
  name         text not null,
  role         text not null,
  created_at   timestamptz not null default now(),
  expires_at   timestamptz,
  used_on      date
);
create index if not exists access_tokens_of_user on access_tokens (user_id);
create index if not exists access_tokens_of_site on access_tokens (site_id);
create index if not exists access_tokens_of_publisher on access_tokens (publisher_id);
`;

/**
 * SQL condition: the token does not belong to a removed publisher. A token that is stored after its publisher was
 * removed is invalid, too.
 */
const PUBLISHER_REMAINS = `(publisher_id is null or exists (select from publishers
  where publishers.publisher_id = access_tokens.publisher_id and ended_at is null))`;
const NOT_OVER = `token_hash is not null and (expires_at is null or expires_at > now()) and ${PUBLISHER_REMAINS}`;
const COLUMNS = `token_id, user_id, site_id, member_id, publisher_id, name, role, created_at, expires_at,
  (used_on::timestamp at time zone 'UTC') as used_at`;
const TODAY = `(now() at time zone 'UTC')::date`;

type TokenRow = {
  readonly token_id: string;
  readonly user_id: string;
  readonly site_id: string | null;
  readonly member_id: string | null;
  readonly publisher_id: string | null;
  readonly name: string;
  readonly role: DelegatedRole;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly used_at: Date | null;
};

/**
 * Access tokens for scripts. Only hashes are stored. Every request reads the table, so that ending a token takes effect
 * immediately in all processes. Events refer to tokens by ID; their names are stored here and deleted with the user.
 */
export class AccessTokenStore implements PersonalDataStore {
  constructor(private readonly pool: Pool) {}

  /** Stores an access token. Throws `unauthenticated` if the user has been erased. */
  async keep(token: NewAccessToken): Promise<void> {
    if (!(await awaitDatabase(isInserted(this.pool, token)))) refuseGone();
  }

  /**
   * Stores a token for all sites of a user. Returns false if the user already has `most` such tokens. Simultaneous
   * calls cannot exceed this limit. Throws `unauthenticated` if the user has been erased.
   */
  async keepOfPerson(token: NewAccessToken, most: number): Promise<boolean> {
    const kept = await transaction(this.pool, async (client) => {
      await client.query('select from people where user_id = $1 for no key update', [token.userId]);
      const { rowCount } = await client.query(
        `select from access_tokens where user_id = $1 and site_id is null and ${NOT_OVER}`,
        [token.userId],
      );
      if ((rowCount ?? 0) >= most) return 'full';
      return (await isInserted(client, token)) ? 'kept' : 'gone';
    });
    if (kept === 'gone') refuseGone();
    return kept === 'kept';
  }

  /**
   * Finds the user and restrictions of an access token, and marks the token as used. Returns null if it is unknown,
   * expired or revoked.
   */
  async use(tokenHash: string): Promise<TokenHolder | null> {
    const { rows } = await this.#query<TokenRow & { stale: boolean }>({
      name: 'access-tokens-use',
      text: `select ${COLUMNS}, used_on is distinct from ${TODAY} as stale
             from access_tokens where token_hash = $1 and ${NOT_OVER}`,
      values: [tokenHash],
    });
    const [row] = rows;
    if (!row) return null;
    if (row.stale) await this.#query(`update access_tokens set used_on = ${TODAY} where token_id = $1`, [row.token_id]);
    return holderOf(row);
  }

  async isGood(tokenId: string): Promise<boolean> {
    const { rowCount } = await this.#query(`select from access_tokens where token_id = $1 and ${NOT_OVER}`, [tokenId]);
    return rowCount === 1;
  }

  /** Returns the given tokens, even expired ones. Omits tokens that were revoked or whose publisher was removed. */
  async unrevoked(tokenIds: readonly string[]): Promise<ReadonlySet<string>> {
    if (tokenIds.length === 0) return new Set();
    const { rows } = await this.#query<{ token_id: string }>(
      `select token_id from access_tokens where token_id = any($1) and token_hash is not null and ${PUBLISHER_REMAINS}`,
      [tokenIds],
    );
    return new Set(rows.map(({ token_id }) => token_id));
  }

  /** Returns the tokens that a user created for all their sites, newest first. */
  async ofPerson(userId: string): Promise<readonly AccessToken[]> {
    const { rows } = await this.#query<TokenRow>(
      `select ${COLUMNS} from access_tokens where user_id = $1 and site_id is null and ${NOT_OVER}
       order by created_at desc, token_id desc`,
      [userId],
    );
    return rows.map(tokenOf);
  }

  async ofSite(siteId: string): Promise<readonly AccessToken[]> {
    const { rows } = await this.#query<TokenRow>(
      `select ${COLUMNS} from access_tokens where site_id = $1 and publisher_id is null and ${NOT_OVER}
       order by created_at desc, token_id desc`,
      [siteId],
    );
    return rows.map(tokenOf);
  }

  /** Returns the names of access tokens by ID. Includes revoked tokens until they are deleted. */
  async namesOf(tokenIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (tokenIds.length === 0) return new Map();
    const { rows } = await this.#query<{ token_id: string; name: string }>(
      'select token_id, name from access_tokens where token_id = any($1)',
      [tokenIds],
    );
    return new Map(rows.map(({ token_id, name }) => [token_id, name]));
  }

  /** Revokes a token for all sites of a user. Returns false if the user has no such token. */
  async endOfPerson(userId: string, tokenId: string): Promise<boolean> {
    const { rowCount } = await this.#query(
      `update access_tokens set token_hash = null
       where user_id = $1 and token_id = $2 and site_id is null and ${NOT_OVER}`,
      [userId, tokenId],
    );
    return rowCount === 1;
  }

  async end(tokenIds: readonly string[]): Promise<void> {
    if (tokenIds.length === 0) return;
    await this.#query('update access_tokens set token_hash = null where token_id = any($1)', [tokenIds]);
  }

  async dropOfSite(siteId: string): Promise<void> {
    await this.#query('delete from access_tokens where site_id = $1', [siteId]);
  }

  async forget({ userId }: DataSubject): Promise<void> {
    await this.#query('delete from access_tokens where user_id = $1', [userId]);
  }

  #query<Row extends QueryResultRow>(query: string | QueryConfig, values?: unknown[]) {
    return awaitDatabase(this.pool.query<Row>(query, values));
  }
}

/** Inserts an access token. Returns false if the user has been erased. */
async function isInserted(db: Queryable, token: NewAccessToken): Promise<boolean> {
  const { tokenId, tokenHash, userId, name, role, site, publisherId, createdAt, expiresAt } = token;
  const [siteId, memberId] = [site?.siteId ?? null, site?.memberId ?? null];
  const { rowCount } = await db.query(
    `insert into access_tokens (token_id, token_hash, user_id, name, role, site_id, member_id, publisher_id, created_at, expires_at)
     select $1, $2, user_id, $4, $5, $6, $7, $8, $9, $10 from people where user_id = $3 and going is null for key share`,
    [tokenId, tokenHash, userId, name, role, siteId, memberId, publisherId, createdAt, expiresAt],
  );
  return rowCount === 1;
}

const refuseGone = (): never => refuse('unauthenticated', 'This account no longer exists.');

const holderOf = ({ token_id, user_id, role, member_id, publisher_id }: TokenRow): TokenHolder => ({
  userId: user_id,
  delegation: {
    kind: 'token',
    id: token_id,
    publisherId: publisher_id,
    role,
    memberIds: member_id === null ? null : [member_id],
  },
});

const tokenOf = ({ token_id, name, role, created_at, expires_at, used_at }: TokenRow): AccessToken => ({
  tokenId: token_id,
  name,
  role,
  createdAt: created_at.toISOString(),
  expiresAt: expires_at?.toISOString() ?? null,
  lastUsedAt: used_at?.toISOString() ?? null,
});

export const accessTokensTable: Table<AccessTokenStore> = {
  name: 'access tokens',
  lock: 'stele access tokens schema',
  schema: SCHEMA,
  // Delete invalid tokens of publishers. They would accumulate, because a publisher gets a new token for each run.
  // Their names are not lost, because each token has the name of its publisher, which is stored separately.
  cleaning: {
    everyMs: 10 * 60_000,
    statement: `delete from access_tokens where publisher_id is not null and not (${NOT_OVER})`,
  },
  access: AccessTokenStore,
  keepsPersonalData: true,
  open: ({ pool }) => new AccessTokenStore(pool),
};
