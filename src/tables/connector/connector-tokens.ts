import type { Pool, QueryResultRow } from 'pg';
import { answerTo } from '../../postgres/database-fault.js';
import type { Table } from '../table.js';

/** An agent, as its token makes it known. */
export type Agent = { readonly tokenId: string; readonly siteId: string; readonly name: string };

/** The subject of wake-ups: a token is good for nothing any more. */
export const TOKEN_REVOKED = 'connector-token-revoked';

export type KeptToken = {
  readonly tokenId: string;
  readonly createdAt: Date;
  /** Null for an agent that never asked. */
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
create index if not exists connector_tokens_of_site on connector_tokens (site_id, polled_at);
`;

/**
 * The tokens of agents, of which only hashes are kept, and when each was seen last. That one was issued or revoked is in
 * its site's history; what is not here is good for nothing.
 */
export class ConnectorTokens {
  constructor(private readonly pool: Pool) {}

  /** Keeps the token of an agent; `createdAt` (RFC 3339) is what its maker is told. */
  async keep(tokenHash: string, { tokenId, siteId, name }: Agent, createdAt: string): Promise<void> {
    await this.#query(
      `insert into connector_tokens (token_hash, token_id, site_id, name, created_at)
       values ($1, $2, $3, $4, $5) on conflict do nothing`,
      [tokenHash, tokenId, siteId, name, createdAt],
    );
  }

  /** The agent whose token it is; null for one that is unknown or was revoked. */
  async find(tokenHash: string): Promise<Agent | null> {
    const { rows } = await answerTo(
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

  async removeAll(siteId: string): Promise<void> {
    await this.#query('delete from connector_tokens where site_id = $1', [siteId]);
  }

  async of(siteId: string): Promise<readonly KeptToken[]> {
    const { rows } = await this.#query<KeptToken>(
      `select token_id as "tokenId", created_at as "createdAt", polled_at as "lastPolledAt"
       from connector_tokens where site_id = $1`,
      [siteId],
    );
    return rows;
  }

  /** The agent has asked for work just now. */
  async polled(tokenId: string): Promise<void> {
    await this.#query('update connector_tokens set polled_at = clock_timestamp() where token_id = $1', [tokenId]);
  }

  /** Whether an agent of the site asked for work in the last so many milliseconds, or has some. */
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
    return answerTo(this.pool.query<Row>(query, values));
  }
}

export const connectorTokensTable: Table<ConnectorTokens> = {
  name: 'connector tokens',
  lock: 'stele connector tokens schema',
  schema: SCHEMA,
  access: ConnectorTokens,
  open: ({ pool }) => new ConnectorTokens(pool),
};
