import type { Pool, QueryResultRow } from 'pg';
import type { DataSubject, PersonalDataStore } from '../../../../kernel/ports/personal-data-stores.js';
import { answerTo } from '../../../../storage/postgres/database-fault.js';
import { transaction } from '../../../../storage/postgres/transaction.js';
import type { Table } from '../../../../storage/tables/table.js';

const SCHEMA = `
create table if not exists held_uploads (
  holder     text collate "C" not null, -- see holders
  sha256     text collate "C" not null,
  attempt    uuid not null default gen_random_uuid(), -- another each time that it begins anew
  size       bigint not null, -- declared
  received   bigint not null default 0, -- durable, from the beginning
  complete   boolean not null default false,
  expires_at timestamptz not null,
  primary key (holder, sha256)
);
create index if not exists held_uploads_expiry on held_uploads (expires_at);
create table if not exists held_parts (
  attempt    uuid not null,
  at         bigint not null, -- the offset of its first byte
  part       text collate "C" not null, -- its digest in the blob store
  expires_at timestamptz not null,
  primary key (attempt, at)
);
create index if not exists held_parts_expiry on held_parts (expires_at);
`;

/** Whose content it is: a person’s, or that of the holder of a site’s edit token or of an upload token. */
export const holders = {
  person: (userId: string) => `user ${userId}`,
  /** What acts for a person on chosen sites alone: it shares nothing with them or their other programs. */
  program: (userId: string, delegationId: string) => `${holders.person(userId)} program ${delegationId}`,
  site: (siteId: string) => `site ${siteId}`,
  token: (uploadTokenHash: string) => `token ${uploadTokenHash}`,
} as const;

/** How long content is held from when its upload began, in hours: the blob store keeps what was stored for as long. */
const HOURS = 24;

export type HeldUpload = {
  readonly holder: string;
  readonly sha256: string;
  readonly attempt: string;
  /** Bytes that it has when it is whole. */
  readonly size: number;
  /** Bytes that arrived, and are durable. */
  readonly received: number;
  readonly complete: boolean;
  readonly expiresAt: Date;
};

/** What one holder may hold. */
export type HoldingLimits = { readonly files: number; readonly bytes: number };

type HeldUploadRow = QueryResultRow & {
  holder: string;
  sha256: string;
  attempt: string;
  size: string;
  received: string;
  complete: boolean;
  expires_at: Date;
};

const THERE = 'expires_at > clock_timestamp()';

/** Content that waits for its deploy, and how much of it has arrived. What is over its time counts as none. */
export class HeldUploads implements PersonalDataStore {
  constructor(private readonly pool: Pool) {}

  async find(holder: string, sha256: string): Promise<HeldUpload | null> {
    const rows = await this.#rows<HeldUploadRow>(
      `select * from held_uploads where holder = $1 and sha256 = $2 and ${THERE}`,
      [holder, sha256],
    );
    return rows[0] ? uploadOf(rows[0]) : null;
  }

  /**
   * Begins an upload anew: what had arrived of it counts no more. Null where its holder would hold more than they may;
   * of any number at once none gets past that.
   */
  async begin(holder: string, sha256: string, size: number, limits: HoldingLimits): Promise<HeldUpload | null> {
    return transaction(this.pool, async (client) => {
      await client.query('select pg_advisory_xact_lock(hashtextextended($1, 26))', [holder]);
      const held = await client.query<{ files: string; bytes: string }>(
        `select count(*) as files, coalesce(sum(size), 0) as bytes from held_uploads
         where holder = $1 and sha256 <> $2 and ${THERE}`,
        [holder, sha256],
      );
      const { files = 0, bytes = 0 } = held.rows[0] ?? {};
      if (Number(files) + 1 > limits.files || Number(bytes) + size > limits.bytes) return null;
      const begun = await client.query<HeldUploadRow>(
        `insert into held_uploads (holder, sha256, size, expires_at)
         values ($1, $2, $3, clock_timestamp() + interval '${HOURS} hours')
         on conflict (holder, sha256) do update set attempt = gen_random_uuid(), size = excluded.size, received = 0,
           complete = false, expires_at = excluded.expires_at
         returning *`,
        [holder, sha256, size],
      );
      return begun.rows[0] ? uploadOf(begun.rows[0]) : null;
    });
  }

  /** Adds a part that is durable. False where another request was faster, or the upload began anew: it counts as none then. */
  async add({ holder, sha256, attempt }: HeldUpload, at: number, part: string, length: number): Promise<boolean> {
    const rows = await this.#rows(
      `with moved as (
         update held_uploads set received = received + $5
         where holder = $1 and sha256 = $2 and attempt = $3 and received = $4 and not complete returning expires_at
       ) insert into held_parts (attempt, at, part, expires_at) select $3, $4, $6, expires_at from moved returning 1`,
      [holder, sha256, attempt, at, length, part],
    );
    return rows.length > 0;
  }

  /** The digests of the parts that arrived, in their order. */
  async parts({ attempt }: HeldUpload): Promise<readonly string[]> {
    const rows = await this.#rows<{ part: string }>('select part from held_parts where attempt = $1 order by at', [
      attempt,
    ]);
    return rows.map(({ part }) => part);
  }

  /** The content is whole, and stored under its own digest. False where the upload began anew meanwhile. */
  async complete({ holder, sha256, attempt }: HeldUpload): Promise<boolean> {
    const rows = await this.#rows(
      `with done as (
         update held_uploads set complete = true, received = size
         where holder = $1 and sha256 = $2 and attempt = $3 returning 1
       ), gone as (delete from held_parts where attempt = $3) select from done`,
      [holder, sha256, attempt],
    );
    return rows.length > 0;
  }

  /** Forgets an upload, whole or not. */
  async drop({ holder, sha256 }: Pick<HeldUpload, 'holder' | 'sha256'>): Promise<void> {
    await this.#rows(
      `with gone as (delete from held_uploads where holder = $1 and sha256 = $2 returning attempt)
       delete from held_parts using gone where held_parts.attempt = gone.attempt`,
      [holder, sha256],
    );
  }

  /** Which of these digests any of the holders has whole. */
  async of(all: readonly string[], digests: readonly string[]): Promise<readonly string[]> {
    if (all.length === 0 || digests.length === 0) return [];
    const rows = await this.#rows<{ sha256: string }>(
      `select distinct sha256 from held_uploads
       where holder = any($1::text[]) and sha256 = any($2::text[]) and complete and ${THERE}`,
      [all, digests],
    );
    return rows.map(({ sha256 }) => sha256);
  }

  /** Every digest that is held, whole or in parts, a page at a time. */
  async *named(): AsyncGenerator<readonly string[]> {
    for (let last = ''; ; ) {
      const rows = await this.#rows<{ digest: string }>(
        `select digest from (
           select sha256 as digest from held_uploads where complete and ${THERE}
           union select part from held_parts where ${THERE}
         ) as held where digest > $1 order by digest limit 5000`,
        [last],
      );
      if (rows.length === 0) return;
      yield rows.map(({ digest }) => digest);
      last = rows.at(-1)?.digest ?? '';
    }
  }

  /** What they hold themselves, and by their programs. */
  async forget({ userId }: DataSubject): Promise<void> {
    await this.#rows(
      `with gone as (delete from held_uploads where holder = $1 or starts_with(holder, $2) returning attempt)
       delete from held_parts using gone where held_parts.attempt = gone.attempt`,
      [holders.person(userId), holders.program(userId, '')],
    );
  }

  async #rows<Found extends QueryResultRow>(text: string, values: readonly unknown[]): Promise<Found[]> {
    return (await answerTo(this.pool.query<Found>(text, [...values]))).rows;
  }
}

const uploadOf = (row: HeldUploadRow): HeldUpload => ({
  holder: row.holder,
  sha256: row.sha256,
  attempt: row.attempt,
  size: Number(row.size),
  received: Number(row.received),
  complete: row.complete,
  expiresAt: row.expires_at,
});

export const heldUploadsTable: Table<HeldUploads> = {
  name: 'pending uploads',
  lock: 'stele held uploads schema',
  schema: SCHEMA,
  cleaning: {
    everyMs: 600_000,
    statement:
      'with gone as (delete from held_uploads where expires_at < clock_timestamp()) delete from held_parts where expires_at < clock_timestamp()',
  },
  access: HeldUploads,
  keepsPersonalData: true,
  open: ({ pool }) => new HeldUploads(pool),
};
