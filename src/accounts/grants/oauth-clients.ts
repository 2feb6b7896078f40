import type { Pool } from 'pg';
import type { RegisteredClients } from '../../kernel/ports/outside/authorization-server.js';
import { awaitDatabase } from '../../storage/postgres/database-fault.js';
import type { Table } from '../../storage/tables/table.js';

/** Maximum number of clients that no user has authorized. Each is a row of up to about 20 KB. */
const MAX_UNUSED = 5_000;

const SCHEMA = `
create table if not exists agent_clients (
  client_id     text primary key,
  metadata      json not null,
  registered_at timestamptz not null default now(),
  kept_until    timestamptz not null default now() + interval '1 day' -- kept longer while it has a grant
);
create index if not exists agent_clients_by_age on agent_clients (registered_at);
`;

const IS_LET_IN = `exists (select from agent_grants where agent_grants.client_id = agent_clients.client_id)`;

const FORGOTTEN = `kept_until < now() and not ${IS_LET_IN}`;

/**
 * Clients that registered themselves (RFC 7591). Anyone can register a client, so unused clients are deleted after a
 * day, or earlier if there are more than `MAX_UNUSED`. An authorized client is kept as long as it has a grant, and
 * for a month after the authorization, so that it can request another grant.
 */
export class OAuthClients implements RegisteredClients {
  constructor(private readonly pool: Pool) {}

  async register(clientId: string, metadata: Readonly<Record<string, unknown>>): Promise<void> {
    await awaitDatabase(
      this.pool.query('insert into agent_clients (client_id, metadata) values ($1, $2) on conflict do nothing', [
        clientId,
        JSON.stringify(metadata),
      ]),
    );
    await awaitDatabase(
      this.pool.query(
        `delete from agent_clients where client_id in
           (select client_id from agent_clients where not ${IS_LET_IN}
            order by registered_at desc, client_id desc offset $1)`,
        [MAX_UNUSED],
      ),
    );
  }

  async findClient(clientId: string): Promise<Readonly<Record<string, unknown>> | null> {
    const { rows } = await awaitDatabase(
      this.pool.query<{ metadata: Record<string, unknown> }>(
        `select metadata from agent_clients where client_id = $1 and not (${FORGOTTEN})`,
        [clientId],
      ),
    );
    return rows[0]?.metadata ?? null;
  }
}

export const oauthClientsTable: Table<OAuthClients> = {
  name: 'agent clients',
  lock: 'stele agent clients schema',
  schema: SCHEMA,
  cleaning: { everyMs: 60 * 60_000, statement: `delete from agent_clients where ${FORGOTTEN}` },
  access: OAuthClients,
  open: ({ pool }) => new OAuthClients(pool),
};
