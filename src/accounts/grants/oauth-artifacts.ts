import { hash } from 'node:crypto';
import type { Pool, QueryConfig, QueryResultRow } from 'pg';
import type { Artifact, ArtifactStore } from '../../kernel/ports/outside/authorization-server.js';
import { awaitDatabase } from '../../storage/postgres/database-fault.js';
import type { Table } from '../../storage/tables/table.js';

const SCHEMA = `
create table if not exists agent_artifacts (
  kind       text not null,
  id_hash    text not null,
  payload    jsonb not null,
  grant_id   text references agent_grants on delete cascade,
  used_at    timestamptz,
  expires_at timestamptz not null,
  primary key (kind, id_hash)
);
create index if not exists agent_artifacts_of_grant on agent_artifacts (grant_id);
create index if not exists agent_artifacts_over on agent_artifacts (expires_at);
`;

/**
 * Codes and tokens of connected apps, and pending consent requests. Only hashes of secrets are stored. Used codes and
 * tokens are kept until they expire, so that a second use is detected.
 */
export class OAuthArtifacts implements ArtifactStore {
  constructor(private readonly pool: Pool) {}

  async keep({ kind, id, payload, grantId, seconds }: Artifact): Promise<boolean> {
    const { rowCount } = await this.#query(
      `insert into agent_artifacts (kind, id_hash, payload, grant_id, expires_at)
       select $1, $2, $3, $4, now() + make_interval(secs => $5)
       where $4::text is null or exists (select from agent_grants where grant_id = $4 for key share)
       on conflict (kind, id_hash) do update set payload = excluded.payload, expires_at = excluded.expires_at`,
      [kind, hash('sha256', id), JSON.stringify(payload), grantId, seconds],
    );
    return rowCount === 1;
  }

  async find(kind: string, id: string) {
    const { rows } = await this.#query<{ payload: Record<string, unknown>; used: boolean }>(
      `select payload, used_at is not null as used from agent_artifacts
       where kind = $1 and id_hash = $2 and expires_at > now()`,
      [kind, hash('sha256', id)],
    );
    return rows[0] ?? null;
  }

  async use(kind: string, id: string): Promise<boolean> {
    const { rowCount } = await this.#query(
      'update agent_artifacts set used_at = now() where kind = $1 and id_hash = $2 and used_at is null',
      [kind, hash('sha256', id)],
    );
    return rowCount === 1;
  }

  async drop(kind: string, id: string): Promise<void> {
    await this.#query('delete from agent_artifacts where kind = $1 and id_hash = $2', [kind, hash('sha256', id)]);
  }

  #query<Row extends QueryResultRow>(query: string | QueryConfig, values?: unknown[]) {
    return awaitDatabase(this.pool.query<Row>(query, values));
  }
}

export const oauthArtifactsTable: Table<OAuthArtifacts> = {
  name: 'agent artifacts',
  lock: 'stele agent artifacts schema',
  schema: SCHEMA,
  cleaning: { everyMs: 10 * 60_000, statement: 'delete from agent_artifacts where expires_at < now()' },
  access: OAuthArtifacts,
  open: ({ pool }) => new OAuthArtifacts(pool),
};
