import type { Pool } from 'pg';
import { awaitDatabase } from '../../../storage/postgres/database-fault.js';
import type { Table } from '../../../storage/tables/table.js';

/** A hostname that a site has or has claimed. */
export type CheckedDomain = { readonly hostname: string; readonly siteId: string };

export type DueCheck = CheckedDomain & {
  readonly attempt: number;
};

export type LastCheck = {
  readonly checkedAt: Date;
  /** Findings of the latest check. Their format is that of the Stele version that stored them. */
  readonly findings: unknown;
};

const SCHEMA = `
create table if not exists domain_checks (
  hostname     text not null,
  site_id      text not null,
  next_at      timestamptz not null default clock_timestamp(),
  attempt      integer not null default 0,
  checked_at   timestamptz,
  findings     jsonb,
  leased_until timestamptz,
  primary key (hostname, site_id)
);
create index if not exists domain_checks_next on domain_checks (next_at);
create index if not exists domain_checks_leased on domain_checks (site_id) where leased_until is not null;
`;

const FREE = '(c.leased_until is null or c.leased_until <= clock_timestamp())';

/**
 * SQL condition for domains whose claim has ended. Their next check is a year away, whereas all other domains are
 * checked at least daily.
 */
const ENDED = "domain_checks.next_at > clock_timestamp() + interval '30 days'";

/**
 * SQL that leases due checks. Takes the longest-due check of each site, so that a site with many domains does not delay
 * other sites.
 */
const TAKE = `
with first as (
  select distinct on (c.site_id) c.hostname, c.site_id, c.next_at from domain_checks c
  where c.next_at <= clock_timestamp() and ${FREE} and not exists (
    select from domain_checks other where other.site_id = c.site_id and other.leased_until > clock_timestamp())
  order by c.site_id, c.next_at
), turn as (
  select c.hostname, c.site_id from domain_checks c
    join (select * from first order by next_at limit $1) chosen using (hostname, site_id)
  for update of c skip locked
)
update domain_checks c set leased_until = clock_timestamp() + $2 * interval '1 millisecond'
from turn where c.hostname = turn.hostname and c.site_id = turn.site_id and ${FREE}
returning c.hostname, c.site_id as "siteId", c.attempt`;

/**
 * Stores when each domain is checked next, and its latest findings. If the table is lost, the domains are scheduled
 * again.
 */
export class DomainCheckQueue {
  constructor(private readonly pool: Pool) {}

  /** Schedules an immediate check of a domain and discards earlier findings. */
  async schedule({ hostname, siteId }: CheckedDomain): Promise<void> {
    await awaitDatabase(
      this.pool.query(
        `insert into domain_checks (hostname, site_id) values ($1, $2)
         on conflict (hostname, site_id) do update set next_at = excluded.next_at, attempt = 0, checked_at = null,
           findings = null, leased_until = null`,
        [hostname, siteId],
      ),
    );
  }

  /** Schedules an immediate check of domains that are not in the table or whose claim had ended. */
  async offer(domains: readonly CheckedDomain[]): Promise<void> {
    await awaitDatabase(
      this.pool.query(
        `insert into domain_checks (hostname, site_id) select * from unnest($1::text[], $2::text[])
         on conflict (hostname, site_id) do update set next_at = excluded.next_at, attempt = 0, checked_at = null,
           findings = null
         where ${ENDED}`,
        columns(domains),
      ),
    );
  }

  /** Leases up to `limit` due domain checks, at most one per site. No two processes get the same check. */
  async take(limit: number, leaseMs: number): Promise<readonly DueCheck[]> {
    const { rows } = await awaitDatabase(this.pool.query<DueCheck>(TAKE, [limit, leaseMs]));
    return rows;
  }

  /**
   * Leases the check of a domain even if it is not due. Returns null if the domain is being checked, was checked less
   * than `everyMs` ago, or is not in the table.
   */
  async takeNow({ hostname, siteId }: CheckedDomain, everyMs: number, leaseMs: number): Promise<DueCheck | null> {
    const { rows } = await awaitDatabase(
      this.pool.query<DueCheck>(
        `update domain_checks c set leased_until = clock_timestamp() + $4 * interval '1 millisecond'
         where c.hostname = $1 and c.site_id = $2 and ${FREE}
           and (c.checked_at is null or c.checked_at <= clock_timestamp() - $3 * interval '1 millisecond')
         returning c.hostname, c.site_id as "siteId", c.attempt`,
        [hostname, siteId, everyMs, leaseMs],
      ),
    );
    return rows[0] ?? null;
  }

  async finish({ hostname, siteId, attempt }: DueCheck, findings: unknown, nextInMs: number): Promise<void> {
    await awaitDatabase(
      this.pool.query(
        `update domain_checks set findings = $3, checked_at = clock_timestamp(), attempt = $4, leased_until = null,
           next_at = clock_timestamp() + $5 * interval '1 millisecond'
         where hostname = $1 and site_id = $2`,
        [hostname, siteId, JSON.stringify(findings), attempt, nextInMs],
      ),
    );
  }

  async release({ hostname, siteId }: CheckedDomain): Promise<void> {
    await awaitDatabase(
      this.pool.query('update domain_checks set leased_until = null where hostname = $1 and site_id = $2', [
        hostname,
        siteId,
      ]),
    );
  }

  async remove({ hostname, siteId }: CheckedDomain): Promise<void> {
    await awaitDatabase(
      this.pool.query('delete from domain_checks where hostname = $1 and site_id = $2', [hostname, siteId]),
    );
  }

  /**
   * Returns the latest findings of each domain, in the order of `domains`. An item is null if its domain has not been
   * checked.
   */
  async last(domains: readonly CheckedDomain[]): Promise<readonly (LastCheck | null)[]> {
    if (domains.length === 0) return [];
    const { rows } = await awaitDatabase(
      this.pool.query<{ checkedAt: Date | null; findings: unknown }>(
        `select c.checked_at as "checkedAt", c.findings
         from unnest($1::text[], $2::text[]) with ordinality as asked (hostname, site_id, n)
           left join domain_checks c using (hostname, site_id) order by n`,
        columns(domains),
      ),
    );
    return rows.map(({ checkedAt, findings }) => checkedAt && { checkedAt, findings });
  }
}

const columns = (domains: readonly CheckedDomain[]) => [
  domains.map(({ hostname }) => hostname),
  domains.map(({ siteId }) => siteId),
];

export const domainChecksTable: Table<DomainCheckQueue> = {
  name: 'domain checks',
  lock: 'stele domain checks schema',
  schema: SCHEMA,
  endLeases: 'update domain_checks set leased_until = null where leased_until is not null',
  access: DomainCheckQueue,
  open: ({ pool }) => new DomainCheckQueue(pool),
};
