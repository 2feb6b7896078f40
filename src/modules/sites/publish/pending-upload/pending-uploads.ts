import type { Pool, QueryResultRow } from 'pg';
import type { DataSubject, PersonalDataStore } from '../../../../kernel/ports/personal-data-stores.js';
import { awaitDatabase } from '../../../../storage/postgres/database-fault.js';
import { transaction } from '../../../../storage/postgres/transaction.js';
import type { Table } from '../../../../storage/tables/table.js';

const SCHEMA = `
create table if not exists held_uploads (
  holder     text collate "C" not null, -- see formatHolder
  sha256     text collate "C" not null,
  attempt    uuid not null default gen_random_uuid(), -- changes when the upload restarts
  size       bigint not null, -- declared
  received   bigint not null default 0, -- stored durably so far
  complete   boolean not null default false,
  expires_at timestamptz not null,
  primary key (holder, sha256)
);
create index if not exists held_uploads_expiry on held_uploads (expires_at);
create table if not exists held_parts (
  attempt    uuid not null,
  at         bigint not null, -- offset of the first byte
  part       text collate "C" not null, -- digest in the blob store
  expires_at timestamptz not null,
  primary key (attempt, at)
);
create index if not exists held_parts_expiry on held_parts (expires_at);
`;

/** Formats the holder of a pending upload: a user, or anyone who has a site's edit token or an upload token. */
export const formatHolder = {
  person: (userId: string) => `user ${userId}`,
  /**
   * A token or app that acts for a user on selected sites. It can use neither the user's own pending uploads nor those
   * of other tokens and apps.
   */
  program: (userId: string, delegationId: string) => `${formatHolder.person(userId)} program ${delegationId}`,
  site: (siteId: string) => `site ${siteId}`,
  token: (uploadTokenHash: string) => `token ${uploadTokenHash}`,
} as const;

/** Lifetime of a pending upload. The blob store keeps new content for the same time. */
const HOURS = 24;

export type PendingUpload = {
  readonly holder: string;
  readonly sha256: string;
  readonly attempt: string;
  /** Size of the complete content in bytes. */
  readonly size: number;
  /** Number of bytes that were received and are durable. */
  readonly received: number;
  readonly complete: boolean;
  readonly expiresAt: Date;
};

/** Limits per holder of pending uploads. */
export type PendingUploadLimits = { readonly files: number; readonly bytes: number };

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

/** Pending uploads and their progress. Expired uploads are ignored. */
export class PendingUploadStore implements PersonalDataStore {
  constructor(private readonly pool: Pool) {}

  async find(holder: string, sha256: string): Promise<PendingUpload | null> {
    const rows = await this.#rows<HeldUploadRow>(
      `select * from held_uploads where holder = $1 and sha256 = $2 and ${THERE}`,
      [holder, sha256],
    );
    return rows[0] ? uploadOf(rows[0]) : null;
  }

  /**
   * Starts or restarts an upload, discarding earlier progress. Returns null if the holder would exceed their limits.
   * Concurrent calls can't exceed the limits either.
   */
  async begin(
    holder: string,
    sha256: string,
    size: number,
    limits: PendingUploadLimits,
  ): Promise<PendingUpload | null> {
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

  /** Adds a durable part. Returns false without adding it if another request was faster or the upload was restarted. */
  async add({ holder, sha256, attempt }: PendingUpload, at: number, part: string, length: number): Promise<boolean> {
    const rows = await this.#rows(
      `with moved as (
         update held_uploads set received = received + $5
         where holder = $1 and sha256 = $2 and attempt = $3 and received = $4 and not complete returning expires_at
       ) insert into held_parts (attempt, at, part, expires_at) select $3, $4, $6, expires_at from moved returning 1`,
      [holder, sha256, attempt, at, length, part],
    );
    return rows.length > 0;
  }

  async parts({ attempt }: PendingUpload): Promise<readonly string[]> {
    const rows = await this.#rows<{ part: string }>('select part from held_parts where attempt = $1 order by at', [
      attempt,
    ]);
    return rows.map(({ part }) => part);
  }

  /** Marks the content as complete and stored under its own digest. Returns false if the upload was restarted. */
  async complete({ holder, sha256, attempt }: PendingUpload): Promise<boolean> {
    const rows = await this.#rows(
      `with done as (
         update held_uploads set complete = true, received = size
         where holder = $1 and sha256 = $2 and attempt = $3 returning 1
       ), gone as (delete from held_parts where attempt = $3) select from done`,
      [holder, sha256, attempt],
    );
    return rows.length > 0;
  }

  async drop({ holder, sha256 }: Pick<PendingUpload, 'holder' | 'sha256'>): Promise<void> {
    await this.#rows(
      `with gone as (delete from held_uploads where holder = $1 and sha256 = $2 returning attempt)
       delete from held_parts using gone where held_parts.attempt = gone.attempt`,
      [holder, sha256],
    );
  }

  /** Returns the digests that at least one of the holders has uploaded completely. */
  async of(all: readonly string[], digests: readonly string[]): Promise<readonly string[]> {
    if (all.length === 0 || digests.length === 0) return [];
    const rows = await this.#rows<{ sha256: string }>(
      `select distinct sha256 from held_uploads
       where holder = any($1::text[]) and sha256 = any($2::text[]) and complete and ${THERE}`,
      [all, digests],
    );
    return rows.map(({ sha256 }) => sha256);
  }

  /** Yields the digests of all complete and partial uploads, page by page. */
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

  /** Deletes the uploads of the user and of the tokens and apps that act for them. */
  async forget({ userId }: DataSubject): Promise<void> {
    await this.#rows(
      `with gone as (delete from held_uploads where holder = $1 or starts_with(holder, $2) returning attempt)
       delete from held_parts using gone where held_parts.attempt = gone.attempt`,
      [formatHolder.person(userId), formatHolder.program(userId, '')],
    );
  }

  async #rows<Found extends QueryResultRow>(text: string, values: readonly unknown[]): Promise<Found[]> {
    return (await awaitDatabase(this.pool.query<Found>(text, [...values]))).rows;
  }
}

const uploadOf = (row: HeldUploadRow): PendingUpload => ({
  holder: row.holder,
  sha256: row.sha256,
  attempt: row.attempt,
  size: Number(row.size),
  received: Number(row.received),
  complete: row.complete,
  expiresAt: row.expires_at,
});

export const pendingUploadsTable: Table<PendingUploadStore> = {
  name: 'pending uploads',
  lock: 'stele held uploads schema',
  schema: SCHEMA,
  cleaning: {
    everyMs: 600_000,
    statement:
      'with gone as (delete from held_uploads where expires_at < clock_timestamp()) delete from held_parts where expires_at < clock_timestamp()',
  },
  access: PendingUploadStore,
  keepsPersonalData: true,
  open: ({ pool }) => new PendingUploadStore(pool),
};
