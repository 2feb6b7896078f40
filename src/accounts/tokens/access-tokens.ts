import type { Pool, QueryConfig, QueryResultRow } from 'pg';
import type { DataSubject, PersonalDataStore } from '../../kernel/ports/personal-data-stores.js';
import { refuse } from '../../kernel/refusal.js';
import type { DelegatedRole, Delegation } from '../../kernel/rights/delegation.js';
import { answerTo } from '../../storage/postgres/database-fault.js';
import type { Queryable } from '../../storage/postgres/queryable.js';
import { transaction } from '../../storage/postgres/transaction.js';
import type { Table } from '../../storage/tables/table.js';

/** The site that a token is for, by the membership of the person who made it. */
export type TokenSite = { readonly siteId: string; readonly memberId: string };

export type NewAccessToken = {
  readonly tokenId: string;
  /** SHA-256 of the token, hexadecimal. */
  readonly tokenHash: string;
  /** Whose rights it has. */
  readonly userId: string;
  /** For people: what uses it. */
  readonly name: string;
  readonly role: DelegatedRole;
  /** Null for all sites of the person. */
  readonly site: TokenSite | null;
  /** The trusted publisher that it was given to; null for one that a person made. */
  readonly publisherId: string | null;
  /** RFC 3339, as its maker is told. */
  readonly createdAt: string;
  /** RFC 3339; null for one that lasts until it is ended. */
  readonly expiresAt: string | null;
};

/** As it is listed. Times are RFC 3339. */
export type AccessToken = {
  readonly tokenId: string;
  readonly name: string;
  readonly role: DelegatedRole;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  /** The beginning of the day (UTC) on which it was used last; null for one that never was. */
  readonly lastUsedAt: string | null;
};

/** Whom a token acts for, and how far. */
export type TokenHolder = { readonly userId: string; readonly delegation: Delegation };

const SCHEMA = `
create table if not exists access_tokens (
  token_id     text primary key,
  token_hash   text unique, -- null for one that was ended: its name stays for the history
  user_id      text not null references people on delete cascade,
  site_id      text, -- null for all sites of the person; else with the membership that it stands on
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

/** One that a publisher was given ends with the publisher, even where it was kept just after that had ended. */
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
 * Tokens for scripts, of which only hashes are kept. The table is read at each request, so that a token that was ended is
 * over at once, on every process. Events name a token by its id: its name, which a person chose, is here and goes with them.
 */
export class AccessTokens implements PersonalDataStore {
  constructor(private readonly pool: Pool) {}

  /** Keeps a token. Refuses with `unauthenticated` where the person was erased meanwhile. */
  async keep(token: NewAccessToken): Promise<void> {
    if (!(await answerTo(isInserted(this.pool, token)))) refuseGone();
  }

  /**
   * Keeps one that a person makes for all their sites; false where they have `most` already. Of any number at once none
   * gets past that. Refuses as `keep` does.
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

  /** Whom a token acts for, which counts as used by this; null when it is unknown, ended or over. */
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

  /** Whether a token may still be used. */
  async isGood(tokenId: string): Promise<boolean> {
    const { rowCount } = await this.#query(`select from access_tokens where token_id = $1 and ${NOT_OVER}`, [tokenId]);
    return rowCount === 1;
  }

  /** Of these tokens, those that were not revoked, nor their publisher removed, whether or not they have expired. */
  async unrevoked(tokenIds: readonly string[]): Promise<ReadonlySet<string>> {
    if (tokenIds.length === 0) return new Set();
    const { rows } = await this.#query<{ token_id: string }>(
      `select token_id from access_tokens where token_id = any($1) and token_hash is not null and ${PUBLISHER_REMAINS}`,
      [tokenIds],
    );
    return new Set(rows.map(({ token_id }) => token_id));
  }

  /** The tokens that a person made for all their sites, the newest first. */
  async ofPerson(userId: string): Promise<readonly AccessToken[]> {
    const { rows } = await this.#query<TokenRow>(
      `select ${COLUMNS} from access_tokens where user_id = $1 and site_id is null and ${NOT_OVER}
       order by created_at desc, token_id desc`,
      [userId],
    );
    return rows.map(tokenOf);
  }

  /** The tokens that its owners made for a site, the newest first. */
  async ofSite(siteId: string): Promise<readonly AccessToken[]> {
    const { rows } = await this.#query<TokenRow>(
      `select ${COLUMNS} from access_tokens where site_id = $1 and publisher_id is null and ${NOT_OVER}
       order by created_at desc, token_id desc`,
      [siteId],
    );
    return rows.map(tokenOf);
  }

  /** Names of tokens by id, of ended ones too; without those that were forgotten. */
  async namesOf(tokenIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (tokenIds.length === 0) return new Map();
    const { rows } = await this.#query<{ token_id: string; name: string }>(
      'select token_id, name from access_tokens where token_id = any($1)',
      [tokenIds],
    );
    return new Map(rows.map(({ token_id, name }) => [token_id, name]));
  }

  /** Ends one that a person made for all their sites, at once and everywhere; false when they have no such token. */
  async endOfPerson(userId: string, tokenId: string): Promise<boolean> {
    const { rowCount } = await this.#query(
      `update access_tokens set token_hash = null
       where user_id = $1 and token_id = $2 and site_id is null and ${NOT_OVER}`,
      [userId, tokenId],
    );
    return rowCount === 1;
  }

  /** Ends these, at once and everywhere. */
  async end(tokenIds: readonly string[]): Promise<void> {
    if (tokenIds.length === 0) return;
    await this.#query('update access_tokens set token_hash = null where token_id = any($1)', [tokenIds]);
  }

  /** Forgets all tokens of a site that is gone. */
  async dropOfSite(siteId: string): Promise<void> {
    await this.#query('delete from access_tokens where site_id = $1', [siteId]);
  }

  async forget({ userId }: DataSubject): Promise<void> {
    await this.#query('delete from access_tokens where user_id = $1', [userId]);
  }

  #query<Row extends QueryResultRow>(query: string | QueryConfig, values?: unknown[]) {
    return answerTo(this.pool.query<Row>(query, values));
  }
}

/** False where its person was erased meanwhile. */
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

export const accessTokensTable: Table<AccessTokens> = {
  name: 'access tokens',
  lock: 'stele access tokens schema',
  schema: SCHEMA,
  // What a publisher was given is one token for each run: its name is the publisher's, which stays.
  cleaning: {
    everyMs: 10 * 60_000,
    statement: `delete from access_tokens where publisher_id is not null and not (${NOT_OVER})`,
  },
  access: AccessTokens,
  keepsPersonalData: true,
  open: ({ pool }) => new AccessTokens(pool),
};
