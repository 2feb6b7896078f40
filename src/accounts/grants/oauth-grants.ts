import { hash } from 'node:crypto';
import type { Pool, QueryConfig, QueryResultRow } from 'pg';
import type { OAuthScope } from '../../kernel/ports/oauth-grants.js';
import type { AuthorizedGrant, ProtocolGrantStore } from '../../kernel/ports/outside/authorization-server.js';
import type { DataSubject, PersonalDataStore } from '../../kernel/ports/personal-data-stores.js';
import { refuse } from '../../kernel/refusal.js';
import { awaitDatabase } from '../../storage/postgres/database-fault.js';
import type { Table } from '../../storage/tables/table.js';

/** A site that a user selected for a connected app, and the user’s membership of that site. */
export type ChosenSite = { readonly siteId: string; readonly memberId: string };

/** The rights that a user granted to a connected app. Times are in RFC 3339 format. */
export type GrantToClient = {
  readonly grantId: string;
  readonly userId: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly scopes: readonly OAuthScope[];
  /** The sites that the app can access, or null for all sites of the user, including future ones. */
  readonly sites: readonly ChosenSite[] | null;
  readonly createdAt: string;
  readonly lastUsedAt: string;
  /** Time at which the grant expires unless it is used again. */
  readonly expiresAt: string;
};

export type NewGrant = Omit<GrantToClient, 'createdAt' | 'lastUsedAt' | 'expiresAt'>;

const SCHEMA = `
create table if not exists agent_grants (
  grant_id     text primary key,
  user_id      text not null references people on delete cascade,
  client_id    text not null,
  client_name  text not null,
  scopes       text[] not null,
  site_ids     text[], -- null for all sites; each selected site has its membership at the same index of member_ids
  member_ids   text[],
  created_at   timestamptz not null default now(),
  last_used_at timestamptz not null default now()
);
create index if not exists agent_grants_of_user on agent_grants (user_id);
create index if not exists agent_grants_of_client on agent_grants (client_id);
`;

/**
 * A grant expires if it is not used for this long, and after `MAX_LIFETIME` in any case (docs/interface/mcp.md,
 * "Connected apps").
 */
const UNUSED = `interval '30 days'`;
const MAX_LIFETIME = `interval '365 days'`;
const NOT_OVER = `last_used_at > now() - ${UNUSED} and created_at > now() - ${MAX_LIFETIME}`;
/**
 * SQL condition for grants that expired more than a day ago. A running job continues if its grant expires but is
 * stopped if its grant is revoked. Expired grants are therefore kept for a day, which is longer than any job takes.
 */
const LONG_OVER = `last_used_at < now() - ${UNUSED} - interval '1 day' or created_at < now() - ${MAX_LIFETIME} - interval '1 day'`;
/** SQL condition for grants without tokens. The user consented, but the browser did not return to the app. */
const NEVER_TAKEN = `created_at < now() - interval '10 minutes'
  and not exists (select from agent_artifacts where agent_artifacts.grant_id = agent_grants.grant_id)`;
const COLUMNS = `grant_id, user_id, client_id, client_name, scopes, site_ids, member_ids, created_at, last_used_at,
  least(last_used_at + ${UNUSED}, created_at + ${MAX_LIFETIME}) as expires_at`;

/** Minimum interval between recorded uses of a grant, because a grant can be used many times per minute. */
const USED_WITHIN = `interval '1 minute'`;

type GrantRow = {
  readonly grant_id: string;
  readonly user_id: string;
  readonly client_id: string;
  readonly client_name: string;
  readonly scopes: OAuthScope[];
  readonly site_ids: string[] | null;
  readonly member_ids: string[] | null;
  readonly created_at: Date;
  readonly last_used_at: Date;
  readonly expires_at: Date;
};

/**
 * Grants to connected apps. Every request reads them, so that ending a grant takes effect immediately in all processes.
 * The tokens of a grant are deleted with it.
 */
export class OAuthGrants implements ProtocolGrantStore, PersonalDataStore {
  constructor(private readonly pool: Pool) {}

  /** Stores a grant. Throws `unauthenticated` if the user has been erased. */
  async give({ grantId, userId, clientId, clientName, scopes, sites }: NewGrant): Promise<void> {
    const { rowCount } = await this.#query(
      `insert into agent_grants (grant_id, user_id, client_id, client_name, scopes, site_ids, member_ids)
       select $1, user_id, $3, $4, $5, $6, $7 from people where user_id = $2 and going is null for key share`,
      [
        grantId,
        userId,
        clientId,
        clientName,
        scopes,
        sites?.map(({ siteId }) => siteId) ?? null,
        sites?.map(({ memberId }) => memberId) ?? null,
      ],
    );
    if (rowCount !== 1) refuse('unauthenticated', 'This account no longer exists.');
    await this.#query(`update agent_clients set kept_until = now() + ${UNUSED} where client_id = $1`, [clientId]);
  }

  async of(userId: string): Promise<readonly GrantToClient[]> {
    const { rows } = await this.#query<GrantRow>(
      `select ${COLUMNS} from agent_grants where user_id = $1 and ${NOT_OVER} order by created_at desc, grant_id desc`,
      [userId],
    );
    return rows.map(grantOf);
  }

  /**
   * Finds the grant of an access token for `resource`, and marks it as used. Also returns the token’s scopes, which may
   * be fewer than those of the grant. Returns null if the token or grant is unknown, expired or revoked, or if the
   * token is for another resource.
   */
  async byToken(
    token: string,
    resource: string,
  ): Promise<{ readonly grant: GrantToClient; readonly scope: string } | null> {
    const { rows } = await this.#query<GrantRow & { stale: boolean; scope: string }>({
      name: 'agent-grants-by-token',
      text: `select ${COLUMNS}, last_used_at < now() - ${USED_WITHIN} as stale, artifact.payload ->> 'scope' as scope
             from agent_artifacts artifact join agent_grants using (grant_id)
             where artifact.kind = 'AccessToken' and artifact.id_hash = $1 and artifact.expires_at > now()
               and artifact.payload ->> 'aud' = $2 and ${NOT_OVER}`,
      values: [hash('sha256', token), resource],
    });
    const [row] = rows;
    if (!row) return null;
    if (row.stale)
      await this.#query('update agent_grants set last_used_at = now() where grant_id = $1', [row.grant_id]);
    return { grant: grantOf(row), scope: row.scope ?? '' };
  }

  /** Ends a user's grant. Returns false if the user has no such grant. */
  async end(userId: string, grantId: string): Promise<boolean> {
    const { rowCount } = await this.#query('delete from agent_grants where user_id = $1 and grant_id = $2', [
      userId,
      grantId,
    ]);
    return rowCount === 1;
  }

  async authorized(grantId: string): Promise<AuthorizedGrant | null> {
    const { rows } = await this.#query<GrantRow>(
      `select ${COLUMNS} from agent_grants where grant_id = $1 and ${NOT_OVER}`,
      [grantId],
    );
    const [row] = rows;
    if (!row) return null;
    const { userId, clientId, scopes, createdAt, expiresAt } = grantOf(row);
    return { userId, clientId, scopes, createdAt: secondsOf(createdAt), expiresAt: secondsOf(expiresAt) };
  }

  /** Returns the IDs of those grants that have not been revoked, and did not expire more than a day ago. */
  async unrevoked(grantIds: readonly string[]): Promise<ReadonlySet<string>> {
    if (grantIds.length === 0) return new Set();
    const { rows } = await this.#query<{ grant_id: string }>(
      'select grant_id from agent_grants where grant_id = any($1)',
      [grantIds],
    );
    return new Set(rows.map(({ grant_id }) => grant_id));
  }

  async endGrant(grantId: string): Promise<void> {
    await this.#query('delete from agent_grants where grant_id = $1', [grantId]);
  }

  async forget({ userId }: DataSubject): Promise<void> {
    await this.#query('delete from agent_grants where user_id = $1', [userId]);
  }

  #query<Row extends QueryResultRow>(query: string | QueryConfig, values?: unknown[]) {
    return awaitDatabase(this.pool.query<Row>(query, values));
  }
}

const secondsOf = (time: string) => Math.floor(Date.parse(time) / 1_000);

const grantOf = (row: GrantRow): GrantToClient => ({
  grantId: row.grant_id,
  userId: row.user_id,
  clientId: row.client_id,
  clientName: row.client_name,
  scopes: row.scopes,
  sites: row.site_ids?.map((siteId, at) => ({ siteId, memberId: row.member_ids?.[at] ?? '' })) ?? null,
  createdAt: row.created_at.toISOString(),
  lastUsedAt: row.last_used_at.toISOString(),
  expiresAt: row.expires_at.toISOString(),
});

export const oauthGrantsTable: Table<OAuthGrants> = {
  name: 'agent grants',
  lock: 'stele agent grants schema',
  schema: SCHEMA,
  cleaning: { everyMs: 60 * 60_000, statement: `delete from agent_grants where ${LONG_OVER} or ${NEVER_TAKEN}` },
  access: OAuthGrants,
  keepsPersonalData: true,
  open: ({ pool }) => new OAuthGrants(pool),
};
