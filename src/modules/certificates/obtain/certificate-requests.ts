import type { Pool } from 'pg';
import { withAdvisoryLock } from '../../../storage/postgres/advisory-lock.js';
import { answerTo } from '../../../storage/postgres/database-fault.js';
import type { Table } from '../../../storage/tables/table.js';

export type DueCertificate = {
  readonly hostname: string;
  /** How often it was asked for in vain. */
  readonly attempt: number;
};

const SCHEMA = `
create table if not exists certificate_requests (
  hostname     text primary key,
  -- Null for one that is there.
  next_at      timestamptz default clock_timestamp(),
  attempt      integer not null default 0,
  taken_at     timestamptz,
  leased_until timestamptz
);
create index if not exists certificate_requests_next on certificate_requests (next_at) where next_at is not null;
create index if not exists certificate_requests_leased on certificate_requests (leased_until) where leased_until is not null;
create index if not exists certificate_requests_taken on certificate_requests (taken_at) where taken_at is not null;
`;

/** Held while one is taken. */
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
 * Which domains a certificate has to be asked for, and when. It may be lost: the domains that are not in it are offered
 * again, and to ask for a certificate that is there costs a handshake.
 */
export class CertificateRequests {
  constructor(private readonly pool: Pool) {}

  /** It is asked for as soon as may be, though it was before. */
  async schedule(hostname: string): Promise<void> {
    await answerTo(
      this.pool.query(
        `insert into certificate_requests (hostname) values ($1)
         on conflict (hostname) do update set next_at = excluded.next_at, attempt = 0`,
        [hostname],
      ),
    );
  }

  /** Those that are not known yet are asked for as soon as may be. */
  async offer(hostnames: readonly string[]): Promise<void> {
    await answerTo(
      this.pool.query(
        'insert into certificate_requests (hostname) select unnest($1::text[]) on conflict (hostname) do nothing',
        [hostnames],
      ),
    );
  }

  /**
   * Leases the one that is due longest, in all processes together one at a time and one every so many milliseconds.
   * Null where none is due, it is not the time, or another process is just taking one.
   */
  async take(everyMs: number, leaseMs: number): Promise<DueCertificate | null> {
    // In turn: of two statements at once, neither would see what the other takes.
    const taken = await answerTo(
      withAdvisoryLock(this.pool, TURN, (session) => session.query<DueCertificate>(TAKE, [leaseMs, everyMs])),
    );
    return taken?.rows[0] ?? null;
  }

  /** It is there. */
  async finish({ hostname }: DueCertificate): Promise<void> {
    await this.#end(hostname, 'next_at = null, attempt = 0', []);
  }

  /** It is asked for once more, in so many milliseconds. */
  async again({ hostname, attempt }: DueCertificate, inMs: number): Promise<void> {
    await this.#end(hostname, `attempt = $2, next_at = clock_timestamp() + $3 * interval '1 millisecond'`, [
      attempt,
      inMs,
    ]);
  }

  /** No certificate is wanted for it any more. */
  async remove({ hostname }: DueCertificate): Promise<void> {
    await answerTo(this.pool.query('delete from certificate_requests where hostname = $1', [hostname]));
  }

  async #end(hostname: string, change: string, values: readonly number[]): Promise<void> {
    await answerTo(
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
