import type { Pool, QueryResultRow } from 'pg';
import type { DataSubject, PersonalDataStore } from '../../kernel/ports/personal-data-stores.js';
import { awaitDatabase } from '../../storage/postgres/database-fault.js';
import type { Table } from '../../storage/tables/table.js';

/** An agent that does work for a site, identified by its token. */
export type Agent = { readonly tokenId: string; readonly siteId: string; readonly name: string };

/** The user and the membership that an agent's token depends on. */
export type TokenOwner = { readonly userId: string; readonly memberId: string };

/** Name of the notification that is sent when an agent's token has become invalid. */
export const TOKEN_REVOKED = 'connector-token-revoked';

export type KeptToken = {
  readonly tokenId: string;
  readonly createdAt: Date;
  /** Time of the agent's last poll, or null if it never polled. */
  readonly lastPolledAt: Date | null;
};

const SCHEMA = `
create table if not exists connector_tokens (
  token_hash text primary key,
  token_id   text not null unique,
  site_id    text not null,
  name       text not null,
  created_at timestamptz not null default clock_timestamp(),
  polled_at  timestamptz
);
alter table connector_tokens add column if not exists user_id text; -- null only in rows from earlier versions
alter table connector_tokens add column if not exists member_id text;
create index if not exists connector_tokens_of_person on connector_tokens (user_id);
create index if not exists connector_tokens_of_site on connector_tokens (site_id, polled_at);
`;

/**
 * Tokens of agents, and when each agent was last seen. Only hashes are stored. A site's history records when tokens are
 * issued and revoked, but a token is valid only while it is stored here.
 */
export class ConnectorTokenStore implements PersonalDataStore {
  constructor(private readonly pool: Pool) {}

  /** Stores an agent's token. `createdAt` (RFC 3339) is the time that was returned to the token’s creator. */
  async keep(
    tokenHash: string,
    { tokenId, siteId, name }: Agent,
    { userId, memberId }: TokenOwner,
    createdAt: string,
  ): Promise<void> {
    await this.#query(
      `insert into connector_tokens (token_hash, token_id, site_id, name, user_id, member_id, created_at)
       values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
      [tokenHash, tokenId, siteId, name, userId, memberId, createdAt],
    );
  }

  async find(tokenHash: string): Promise<Agent | null> {
    const { rows } = await awaitDatabase(
      this.pool.query<Agent>({
        name: 'connector-tokens-find',
        text: 'select token_id as "tokenId", site_id as "siteId", name from connector_tokens where token_hash = $1',
        values: [tokenHash],
      }),
    );
    return rows[0] ?? null;
  }

  async remove(siteId: string, tokenId: string): Promise<void> {
    await this.#query('delete from connector_tokens where site_id = $1 and token_id = $2', [siteId, tokenId]);
  }

  async end(tokenIds: readonly string[]): Promise<void> {
    if (tokenIds.length > 0) await this.#query('delete from connector_tokens where token_id = any($1)', [tokenIds]);
  }

  async removeAll(siteId: string): Promise<readonly string[]> {
    const { rows } = await this.#query<{ token_id: string }>(
      'delete from connector_tokens where site_id = $1 returning token_id',
      [siteId],
    );
    return rows.map(({ token_id }) => token_id);
  }

  /** Returns the sites that have tokens without a recorded owner, issued by earlier versions. */
  async sitesOfUnowned(): Promise<readonly string[]> {
    const { rows } = await this.#query<{ site_id: string }>(
      'select distinct site_id from connector_tokens where user_id is null order by site_id',
      [],
    );
    return rows.map(({ site_id }) => site_id);
  }

  /** Records the owner of an agent's token. Does not change an owner that is already recorded. */
  async setOwner(tokenId: string, { userId, memberId }: TokenOwner): Promise<void> {
    await this.#query(
      'update connector_tokens set user_id = $2, member_id = $3 where token_id = $1 and user_id is null',
      [tokenId, userId, memberId],
    );
  }

  async forget({ userId }: DataSubject): Promise<void> {
    await this.#query('delete from connector_tokens where user_id = $1', [userId]);
  }

  async of(siteId: string): Promise<readonly KeptToken[]> {
    const { rows } = await this.#query<KeptToken>(
      `select token_id as "tokenId", created_at as "createdAt", polled_at as "lastPolledAt"
       from connector_tokens where site_id = $1`,
      [siteId],
    );
    return rows;
  }

  async polled(tokenId: string): Promise<void> {
    await this.#query('update connector_tokens set polled_at = clock_timestamp() where token_id = $1', [tokenId]);
  }

  /** Reports whether an agent of the site has polled within the last `ms` milliseconds, or is working on something. */
  async isAttended(siteId: string, ms: number): Promise<boolean> {
    const { rowCount } = await this.#query(
      `select where exists (select from connector_tokens
           where site_id = $1 and polled_at > clock_timestamp() - $2 * interval '1 millisecond')
         or exists (select from connector_work
           where site_id = $1 and state = 'leased' and state <> 'over' and leased_until > clock_timestamp())`,
      [siteId, ms],
    );
    return rowCount === 1;
  }

  #query<Row extends QueryResultRow>(query: string, values: unknown[]) {
    return awaitDatabase(this.pool.query<Row>(query, values));
  }
}

export const connectorTokensTable: Table<ConnectorTokenStore> = {
  name: 'connector tokens',
  lock: 'stele connector tokens schema',
  schema: SCHEMA,
  access: ConnectorTokenStore,
  keepsPersonalData: true,
  open: ({ pool }) => new ConnectorTokenStore(pool),
};
