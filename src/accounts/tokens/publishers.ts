import type { Pool, QueryConfig, QueryResultRow } from 'pg';
import type { DataSubject, PersonalDataStore } from '../../kernel/ports/personal-data-stores.js';
import { refuse } from '../../kernel/refusal.js';
import { answerTo } from '../../storage/postgres/database-fault.js';
import type { Table } from '../../storage/tables/table.js';

/** What a token of an issuer has to say, by the name of the claim. */
export type Claims = Readonly<Record<string, string>>;

export type NewPublisher = {
  readonly publisherId: string;
  /** On whose membership it stands. */
  readonly userId: string;
  readonly siteId: string;
  readonly memberId: string;
  readonly issuer: string;
  /** The repository or project that the claims name: it is found by that. */
  readonly project: string;
  readonly claims: Claims;
  /** RFC 3339, as its maker is told. */
  readonly createdAt: string;
};

/** As it is kept. Times are RFC 3339. */
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
  project      text not null, -- what its claims name, by which it is found
  claims       jsonb not null,
  created_at   timestamptz not null default now(),
  used_at      timestamptz,
  ended_at     timestamptz -- one that was ended stays for its name in the history
);
create index if not exists publishers_of_user on publishers (user_id);
create index if not exists publishers_of_site on publishers (site_id);
create index if not exists publishers_by_project on publishers (issuer, project);
`;

const COLUMNS = 'publisher_id, user_id, site_id, member_id, issuer, claims, created_at, used_at';

/** As many as are looked at for one token: no project has reason to publish to more sites from one job. */
const MOST_MATCHES = 100;

type PublisherRow = {
  readonly publisher_id: string;
  readonly user_id: string;
  readonly site_id: string;
  readonly member_id: string;
  readonly issuer: string;
  readonly claims: Claims;
  readonly created_at: Date;
  readonly used_at: Date | null;
};

/**
 * Whose jobs may publish to which sites without a stored secret. Events name a publisher by its id: what it has to say is a
 * person's choice of names, kept here, and goes with them. Read at each exchange, so that one that was ended is over at once.
 */
export class Publishers implements PersonalDataStore {
  constructor(private readonly pool: Pool) {}

  /** Keeps a publisher. Refuses with `unauthenticated` where the person was erased meanwhile. */
  async keep({ publisherId, userId, siteId, memberId, issuer, project, ...rest }: NewPublisher): Promise<void> {
    const { rowCount } = await this.#query(
      `insert into publishers (publisher_id, user_id, site_id, member_id, issuer, project, claims, created_at)
       select $1, user_id, $3, $4, $5, $6, $7, $8 from people where user_id = $2 and going is null for key share`,
      [publisherId, userId, siteId, memberId, issuer, project, JSON.stringify(rest.claims), rest.createdAt],
    );
    if (rowCount !== 1) refuse('unauthenticated', 'This account no longer exists.');
  }

  /** The publishers of a site, the newest first. */
  async ofSite(siteId: string): Promise<readonly Publisher[]> {
    const { rows } = await this.#query<PublisherRow>(
      `select ${COLUMNS} from publishers where site_id = $1 and ended_at is null
       order by created_at desc, publisher_id desc`,
      [siteId],
    );
    return rows.map(publisherOf);
  }

  /** Whether any site trusts the issuer: no other issuer is ever asked for its keys. */
  async isTrusted(issuer: string): Promise<boolean> {
    const { rowCount } = await this.#query('select from publishers where issuer = $1 and ended_at is null limit 1', [
      issuer,
    ]);
    return rowCount === 1;
  }

  /** The publishers of an issuer that name one of these projects, and all of whose claims are among those given, the oldest first. */
  async matching(issuer: string, projects: readonly string[], claims: Claims): Promise<readonly Publisher[]> {
    const { rows } = await this.#query<PublisherRow>({
      name: 'publishers-matching',
      text: `select ${COLUMNS} from publishers where issuer = $1 and project = any($2) and claims <@ $3::jsonb and ended_at is null
             order by created_at, publisher_id limit ${MOST_MATCHES}`,
      values: [issuer, projects, JSON.stringify(claims)],
    });
    return rows.map(publisherOf);
  }

  /**
   * Counts a use and binds the publisher to claims that it has not got yet; what it says already stays. Null where it was
   * ended meanwhile, or is bound to something else by now.
   */
  async use(publisherId: string, bound: Claims): Promise<Publisher | null> {
    const { rows } = await this.#query<PublisherRow>(
      `update publishers set used_at = now(), claims = claims || $2::jsonb
       where publisher_id = $1 and ended_at is null and ($2::jsonb || claims) = (claims || $2::jsonb)
       returning ${COLUMNS}`,
      [publisherId, JSON.stringify(bound)],
    );
    return rows[0] ? publisherOf(rows[0]) : null;
  }

  /** What publishers say, by id, of ended ones too; without those that were forgotten. */
  async claimsOf(publisherIds: readonly string[]): Promise<ReadonlyMap<string, Claims>> {
    if (publisherIds.length === 0) return new Map();
    const { rows } = await this.#query<{ publisher_id: string; claims: Claims }>(
      'select publisher_id, claims from publishers where publisher_id = any($1)',
      [publisherIds],
    );
    return new Map(rows.map(({ publisher_id, claims }) => [publisher_id, claims]));
  }

  /** Ends these at once, everywhere; with them end the tokens that they were given. */
  async end(publisherIds: readonly string[]): Promise<void> {
    if (publisherIds.length === 0) return;
    await this.#query('update publishers set ended_at = now() where publisher_id = any($1) and ended_at is null', [
      publisherIds,
    ]);
  }

  /** Forgets all publishers of a site that is gone; their tokens go with them. */
  async dropOfSite(siteId: string): Promise<void> {
    await this.#query('delete from publishers where site_id = $1', [siteId]);
  }

  async forget({ userId }: DataSubject): Promise<void> {
    await this.#query('delete from publishers where user_id = $1', [userId]);
  }

  #query<Row extends QueryResultRow>(query: string | QueryConfig, values?: unknown[]) {
    return answerTo(this.pool.query<Row>(query, values));
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

export const publishersTable: Table<Publishers> = {
  name: 'publishers',
  lock: 'stele publishers schema',
  schema: SCHEMA,
  access: Publishers,
  keepsPersonalData: true,
  open: ({ pool }) => new Publishers(pool),
};
