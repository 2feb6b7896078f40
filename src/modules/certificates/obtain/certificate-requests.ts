import type { Pool } from 'pg';
import { withAdvisoryLock } from '../../../storage/postgres/advisory-lock.js';
import { awaitDatabase } from '../../../storage/postgres/database-fault.js';
import type { Table } from '../../../storage/tables/table.js';

export type DueCertificate = {
  readonly hostname: string;
  /** Number of failed attempts to get the certificate. */
  readonly attempt: number;
};

const SCHEMA = `
create table if not exists certificate_requests (
  hostname     text primary key,
  -- Null if the certificate exists.
  next_at      timestamptz default clock_timestamp(),
  attempt      integer not null default 0,
  taken_at     timestamptz,
  leased_until timestamptz
);
create index if not exists certificate_requests_next on certificate_requests (next_at) where next_at is not null;
create index if not exists certificate_requests_leased on certificate_requests (leased_until) where leased_until is not null;
create index if not exists certificate_requests_taken on certificate_requests (taken_at) where taken_at is not null;
`;

const TURN = 'stele certificate request';

const TAKE = `
update certificate_requests set taken_at = clock_timestamp(), leased_until = clock_timestamp() + $1 * interval '1 millisecond'
where hostname = (
  select hostname from certificate_requests
  where next_at <= clock_timestamp()
    and not exists (select from certificate_requests where leased_until > clock_timestamp())
    and not exists (select from certificate_requests where taken_at > clock_timestamp() - $2 * interval '1 millisecond')
  order by next_at limit 1)
returning hostname, attempt`;

/**
 * Stores which domains need a certificate, and when to request it. The table can be lost without harm: missing domains
 * are added again, and requesting an existing certificate costs only a handshake.
 */
export class CertificateRequests {
  constructor(private readonly pool: Pool) {}

  /** Schedules an immediate request for the domain's certificate, even if one was already requested. */
  async schedule(hostname: string): Promise<void> {
    await awaitDatabase(
      this.pool.query(
        `insert into certificate_requests (hostname) values ($1)
         on conflict (hostname) do update set next_at = excluded.next_at, attempt = 0`,
        [hostname],
      ),
    );
  }

  async offer(hostnames: readonly string[]): Promise<void> {
    await awaitDatabase(
      this.pool.query(
        'insert into certificate_requests (hostname) select unnest($1::text[]) on conflict (hostname) do nothing',
        [hostnames],
      ),
    );
  }

  /**
   * Leases the request for a certificate that has been due longest. Across all processes, requests are leased one at a
   * time, and at most one per `everyMs`. Returns null if none is due, the interval has not passed, or another process
   * is leasing a request.
   */
  async take(everyMs: number, leaseMs: number): Promise<DueCertificate | null> {
    // The lock serializes processes: two concurrent statements would not see each other's lease and could both lease a
    // request.
    const taken = await awaitDatabase(
      withAdvisoryLock(this.pool, TURN, (session) => session.query<DueCertificate>(TAKE, [leaseMs, everyMs])),
    );
    return taken?.rows[0] ?? null;
  }

  async finish({ hostname }: DueCertificate): Promise<void> {
    await this.#end(hostname, 'next_at = null, attempt = 0', []);
  }

  async again({ hostname, attempt }: DueCertificate, inMs: number): Promise<void> {
    await this.#end(hostname, `attempt = $2, next_at = clock_timestamp() + $3 * interval '1 millisecond'`, [
      attempt,
      inMs,
    ]);
  }

  async remove({ hostname }: DueCertificate): Promise<void> {
    await awaitDatabase(this.pool.query('delete from certificate_requests where hostname = $1', [hostname]));
  }

  async #end(hostname: string, change: string, values: readonly number[]): Promise<void> {
    await awaitDatabase(
      this.pool.query(`update certificate_requests set leased_until = null, ${change} where hostname = $1`, [
        hostname,
        ...values,
      ]),
    );
  }
}

export const certificateRequestsTable: Table<CertificateRequests> = {
  name: 'certificate requests',
  lock: 'stele certificate requests schema',
  schema: SCHEMA,
  endLeases: 'update certificate_requests set leased_until = null where leased_until is not null',
  access: CertificateRequests,
  open: ({ pool }) => new CertificateRequests(pool),
};
