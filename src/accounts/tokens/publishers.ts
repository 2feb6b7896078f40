import type { Pool, QueryConfig, QueryResultRow } from 'pg';
import type { DataSubject, PersonalDataStore } from '../../kernel/ports/personal-data-stores.js';
import { refuse } from '../../kernel/refusal.js';
import { awaitDatabase } from '../../storage/postgres/database-fault.js';
import type { Table } from '../../storage/tables/table.js';

/** Claims that an OpenID Connect issuer’s token must have, by name. */
export type RequiredClaims = Readonly<Record<string, string>>;

export type NewPublisher = {
  readonly publisherId: string;
  /** The user who registered the publisher and whose membership it depends on. */
  readonly userId: string;
  readonly siteId: string;
  readonly memberId: string;
  readonly issuer: string;
  /** Repository or project that the required claims name. Used to look up publishers. */
  readonly project: string;
  readonly claims: RequiredClaims;
  /** Time of creation, as returned to the publisher’s creator (RFC 3339). */
  readonly createdAt: string;
};

/** A stored trusted publisher. Times are in RFC 3339 format. */
export type Publisher = Omit<NewPublisher, 'project'> & {
  readonly lastUsedAt: string | null;
};

const SCHEMA = `
create table if not exists publishers (
  publisher_id text primary key,
  user_id      text not null references people on delete cascade,
  site_id      text not null,
  member_id    text not null,
  issuer       text not null,
  project      text not null, -- from the claims; used to find the publisher
  claims       jsonb not null,
  created_at   timestamptz not null default now(),
  used_at      timestamptz,
  ended_at     timestamptz -- a revoked publisher is kept for its name in the history
);
create index if not exists publishers_of_user on publishers (user_id);
create index if not exists publishers_of_site on publishers (site_id);
create index if not exists publishers_by_project on publishers (issuer, project);
`;

const COLUMNS = 'publisher_id, user_id, site_id, member_id, issuer, claims, created_at, used_at';

/** Maximum number of publishers that one token can match. No project needs to publish to more sites from one job. */
const MAX_MATCHES = 100;

type PublisherRow = {
  readonly publisher_id: string;
  readonly user_id: string;
  readonly site_id: string;
  readonly member_id: string;
  readonly issuer: string;
  readonly claims: RequiredClaims;
  readonly created_at: Date;
  readonly used_at: Date | null;
};

/**
 * Trusted publishers: jobs that can publish to a site without a stored secret. Events refer to them by ID. Their claims
 * contain names chosen by users, so they are stored here and deleted with the user. Every exchange reads the table, so
 * that ending a publisher takes effect immediately.
 */
export class PublisherStore implements PersonalDataStore {
  constructor(private readonly pool: Pool) {}

  /** Stores a publisher. Throws `unauthenticated` if the user has been erased. */
  async keep({ publisherId, userId, siteId, memberId, issuer, project, ...rest }: NewPublisher): Promise<void> {
    const { rowCount } = await this.#query(
      `insert into publishers (publisher_id, user_id, site_id, member_id, issuer, project, claims, created_at)
       select $1, user_id, $3, $4, $5, $6, $7, $8 from people where user_id = $2 and going is null for key share`,
      [publisherId, userId, siteId, memberId, issuer, project, JSON.stringify(rest.claims), rest.createdAt],
    );
    if (rowCount !== 1) refuse('unauthenticated', 'This account no longer exists.');
  }

  async ofSite(siteId: string): Promise<readonly Publisher[]> {
    const { rows } = await this.#query<PublisherRow>(
      `select ${COLUMNS} from publishers where site_id = $1 and ended_at is null
       order by created_at desc, publisher_id desc`,
      [siteId],
    );
    return rows.map(publisherOf);
  }

  /** Reports whether any site trusts the issuer. If none does, the issuer's keys are not fetched. */
  async isTrusted(issuer: string): Promise<boolean> {
    const { rowCount } = await this.#query('select from publishers where issuer = $1 and ended_at is null limit 1', [
      issuer,
    ]);
    return rowCount === 1;
  }

  /**
   * Returns the publishers that match a token, oldest first. A publisher matches if it is for one of the given projects
   * and the token has all of its required claims.
   */
  async matching(issuer: string, projects: readonly string[], claims: RequiredClaims): Promise<readonly Publisher[]> {
    const { rows } = await this.#query<PublisherRow>({
      name: 'publishers-matching',
      text: `select ${COLUMNS} from publishers where issuer = $1 and project = any($2) and claims <@ $3::jsonb and ended_at is null
             order by created_at, publisher_id limit ${MAX_MATCHES}`,
      values: [issuer, projects, JSON.stringify(claims)],
    });
    return rows.map(publisherOf);
  }

  /**
   * Records that a publisher was used. Adds missing claims to the publisher, but does not change existing ones. Returns
   * null if the publisher has been removed, or if its claims were changed in the meantime.
   */
  async use(publisherId: string, bound: RequiredClaims): Promise<Publisher | null> {
    const { rows } = await this.#query<PublisherRow>(
      `update publishers set used_at = now(), claims = claims || $2::jsonb
       where publisher_id = $1 and ended_at is null and ($2::jsonb || claims) = (claims || $2::jsonb)
       returning ${COLUMNS}`,
      [publisherId, JSON.stringify(bound)],
    );
    return rows[0] ? publisherOf(rows[0]) : null;
  }

  /** Returns the required claims of publishers by ID. Includes removed publishers until they are deleted. */
  async claimsOf(publisherIds: readonly string[]): Promise<ReadonlyMap<string, RequiredClaims>> {
    if (publisherIds.length === 0) return new Map();
    const { rows } = await this.#query<{ publisher_id: string; claims: RequiredClaims }>(
      'select publisher_id, claims from publishers where publisher_id = any($1)',
      [publisherIds],
    );
    return new Map(rows.map(({ publisher_id, claims }) => [publisher_id, claims]));
  }

  /** Removes publishers and revokes their tokens. */
  async end(publisherIds: readonly string[]): Promise<void> {
    if (publisherIds.length === 0) return;
    await this.#query('update publishers set ended_at = now() where publisher_id = any($1) and ended_at is null', [
      publisherIds,
    ]);
  }

  async dropOfSite(siteId: string): Promise<void> {
    await this.#query('delete from publishers where site_id = $1', [siteId]);
  }

  async forget({ userId }: DataSubject): Promise<void> {
    await this.#query('delete from publishers where user_id = $1', [userId]);
  }

  #query<Row extends QueryResultRow>(query: string | QueryConfig, values?: unknown[]) {
    return awaitDatabase(this.pool.query<Row>(query, values));
  }
}

const publisherOf = (row: PublisherRow): Publisher => ({
  publisherId: row.publisher_id,
  userId: row.user_id,
  siteId: row.site_id,
  memberId: row.member_id,
  issuer: row.issuer,
  claims: row.claims,
  createdAt: row.created_at.toISOString(),
  lastUsedAt: row.used_at?.toISOString() ?? null,
});

export const publishersTable: Table<PublisherStore> = {
  name: 'publishers',
  lock: 'stele publishers schema',
  schema: SCHEMA,
  access: PublisherStore,
  keepsPersonalData: true,
  open: ({ pool }) => new PublisherStore(pool),
};
