import type { Pool } from 'pg';
import { awaitDatabase } from '../../storage/postgres/database-fault.js';
import type { Table } from '../../storage/tables/table.js';
import { open, seal } from '../keys/sealed.js';

const DAYS = 14;

const SCHEMA = `
create table if not exists site_networks (
  site_id text collate "C" primary key,
  sealed  bytea       not null, -- bound to the site
  made_at timestamptz not null default clock_timestamp()
);
create index if not exists site_networks_age on site_networks (made_at);
`;

/** Networks (IP address ranges) from which unclaimed sites were created, encrypted. */
export class SiteNetworks {
  constructor(
    private readonly pool: Pool,
    private readonly rootKey: Buffer,
  ) {}

  /** Stores the network from which a new site was created. Idempotent. */
  async keep(siteId: string, network: string): Promise<void> {
    const sealed = seal('stele site network', this.rootKey, network, siteId);
    await awaitDatabase(
      this.pool.query('insert into site_networks (site_id, sealed) values ($1, $2) on conflict do nothing', [
        siteId,
        sealed,
      ]),
    );
  }

  async find(siteId: string): Promise<string | null> {
    const { rows } = await awaitDatabase(
      this.pool.query<{ sealed: Buffer }>(
        `select sealed from site_networks
         where site_id = $1 and made_at > clock_timestamp() - interval '${DAYS} days'`,
        [siteId],
      ),
    );
    return rows[0] ? String(open('stele site network', this.rootKey, rows[0].sealed, siteId)) : null;
  }
}

export const siteNetworksTable: Table<SiteNetworks> = {
  name: 'site networks',
  lock: 'stele site networks schema',
  schema: SCHEMA,
  cleaning: {
    everyMs: 3_600_000,
    statement: `delete from site_networks where made_at < clock_timestamp() - interval '${DAYS} days'`,
  },
  access: SiteNetworks,
  open: ({ pool, rootKey }) => new SiteNetworks(pool, rootKey),
};
