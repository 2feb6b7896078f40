import type { Pool } from 'pg';
import { awaitDatabase } from '../../storage/postgres/database-fault.js';
import { transaction } from '../../storage/postgres/transaction.js';
import type { Table } from '../../storage/tables/table.js';

/**
 * Number of days for which networks are stored: the (hashed) network that sent a deploy, and the network from which a
 * site was created.
 */
const DAYS = 14;

const SCHEMA = `
create table if not exists unclaimed_content (
  deploy_id text collate "C" primary key,
  site_id   text collate "C" not null,
  share     bytea, -- keyed hash, as in share_use; null if unknown or forgotten
  bytes     bigint      not null,
  at        timestamptz not null default clock_timestamp()
);
create index if not exists unclaimed_content_of_site on unclaimed_content (site_id);
`;

export type UnclaimedDeploy = {
  readonly deployId: string;
  readonly siteId: string;
  readonly share: Buffer;
  readonly bytes: number;
};

/**
 * Total size of the content of unclaimed sites, in bytes: of all sites (`total`), and of the sites created from one
 * network (`own`).
 */
export type UnclaimedUse = { readonly total: number; readonly own: number };

/** Names of the read model tables that show which sites are unclaimed. */
export type SiteTables = { readonly sites: string; readonly deploys: string };

export class UnclaimedContent {
  constructor(private readonly pool: Pool) {}

  async use(share: Buffer): Promise<UnclaimedUse> {
    return useOf(this.pool, share, '');
  }

  /**
   * Calls `isAllowed` with the current size of unclaimed content, not counting this deploy, and returns this size.
   * Records the deploy if `isAllowed` returns true. Calls run one after another, because concurrent ones could together
   * exceed a limit.
   */
  async reserve(
    { deployId, siteId, share, bytes }: UnclaimedDeploy,
    isAllowed: (use: UnclaimedUse) => boolean,
  ): Promise<UnclaimedUse & { readonly isReserved: boolean }> {
    return transaction(this.pool, async (client) => {
      await client.query("select pg_advisory_xact_lock(hashtextextended('stele unclaimed content', 0))");
      const use = await useOf(client, share, deployId);
      if (!isAllowed(use)) return { ...use, isReserved: false };
      await client.query(
        `insert into unclaimed_content (deploy_id, site_id, share, bytes) values ($1, $2, $3, $4)
         on conflict (deploy_id) do update set bytes = greatest(unclaimed_content.bytes, excluded.bytes)`,
        [deployId, siteId, share, bytes],
      );
      return { ...use, isReserved: true };
    });
  }

  /** Removes the record of a deploy that was not published. */
  async release(deployId: string): Promise<void> {
    await awaitDatabase(this.pool.query('delete from unclaimed_content where deploy_id = $1', [deployId]));
  }

  /**
   * Reconciles the table of unclaimed deploys with the read models. Removes deploys that were never published, and
   * those of claimed or deleted sites. Adds missing deploys with the total size of their files.
   */
  async reconcile({ sites, deploys }: SiteTables): Promise<void> {
    const isUnclaimed = `site.status = 'live' and site.edit_token_hash is not null`;
    await awaitDatabase(
      this.pool.query(
        `delete from unclaimed_content as content using "${sites}" as site
         where site.site_id = content.site_id and not (${isUnclaimed})`,
      ),
    );
    await awaitDatabase(
      this.pool.query(
        `delete from unclaimed_content as content where at < clock_timestamp() - interval '1 hour'
         and not exists (select from "${deploys}" as deploy where deploy.deploy_id = content.deploy_id)`,
      ),
    );
    await awaitDatabase(
      this.pool.query(
        `insert into unclaimed_content (deploy_id, site_id, share, bytes)
         select deploy.deploy_id, deploy.site_id, null, deploy.bytes
         from "${deploys}" as deploy join "${sites}" as site on site.site_id = deploy.site_id and ${isUnclaimed}
         where not starts_with(site.site_id, 'prb_') on conflict do nothing`,
      ),
    );
  }
}

async function useOf(db: Pick<Pool, 'query'>, share: Buffer, besides: string): Promise<UnclaimedUse> {
  const { rows } = await awaitDatabase(
    db.query<{ total: string; own: string }>(
      `select coalesce(sum(bytes), 0) as total, coalesce(sum(bytes) filter (where share = $1), 0) as own
       from unclaimed_content where deploy_id <> $2`,
      [share, besides],
    ),
  );
  return { total: Number(rows[0]?.total ?? 0), own: Number(rows[0]?.own ?? 0) };
}

export const unclaimedContentTable: Table<UnclaimedContent> = {
  name: 'content of unclaimed sites',
  lock: 'stele unclaimed content schema',
  schema: SCHEMA,
  cleaning: {
    everyMs: 3_600_000,
    statement: `update unclaimed_content set share = null
      where share is not null and at < clock_timestamp() - interval '${DAYS} days'`,
  },
  access: UnclaimedContent,
  open: ({ pool }) => new UnclaimedContent(pool),
};
