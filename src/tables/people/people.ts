import type { Pool, QueryConfig, QueryResultRow } from 'pg';
import { type Going, type Identity, People, type Person } from '../../kernel/ports/people.js';
import { answerTo } from '../../postgres/database-fault.js';

const SCHEMA = `
select pg_advisory_xact_lock(hashtextextended('stele people schema', 0));
create table if not exists people (
  user_id    text primary key,
  email      text not null unique, -- lower-cased
  name       text,
  created_at timestamptz not null default now()
);
create table if not exists identities (
  issuer  text not null,
  subject text not null,
  user_id text not null references people on delete cascade,
  primary key (issuer, subject)
);
create index if not exists identities_of_user on identities (user_id);
alter table people add column if not exists going text; -- being erased: 'alone' or 'with-sites'; null for everybody else
`;

const COLUMNS = 'user_id, email, name, created_at';

/** The update that changes nothing makes the statement answer the row that stands. */
const NAMED = `insert into people (user_id, email, name) values ($1, $2, $3)
  on conflict (email) do update set name = coalesce(people.name, excluded.name) returning ${COLUMNS}`;

type Row = {
  readonly user_id: string;
  readonly email: string;
  readonly name: string | null;
  readonly created_at: Date;
};

/** People in PostgreSQL. */
export class PeopleTable extends People {
  constructor(private readonly pool: Pool) {
    super();
  }

  async start() {
    await this.pool.query(SCHEMA);
  }

  override async find(userId: string): Promise<Person | null> {
    const { rows } = await this.#query<Row>(`select ${COLUMNS} from people where user_id = $1`, [userId]);
    return rows[0] ? shown(rows[0]) : null;
  }

  override async findAll(userIds: readonly string[]): Promise<ReadonlyMap<string, Person>> {
    if (userIds.length === 0) return new Map();
    const { rows } = await this.#query<Row>(`select ${COLUMNS} from people where user_id = any($1)`, [userIds]);
    return new Map(rows.map((row) => [row.user_id, shown(row)]));
  }

  override async findByEmail(email: string): Promise<Person | null> {
    const { rows } = await this.#query<Row>(`select ${COLUMNS} from people where email = $1`, [email.toLowerCase()]);
    return rows[0] ? shown(rows[0]) : null;
  }

  override async withEmail(email: string, { userId }: { readonly userId: string }): Promise<Person> {
    const { rows } = await this.#query<Row>(NAMED, [userId, email.toLowerCase(), null]);
    return only(rows);
  }

  override async knownAs({ issuer, subject }: Identity): Promise<Person | null> {
    const { rows } = await this.#query<Row>(
      `select ${COLUMNS} from people join identities using (user_id) where issuer = $1 and subject = $2`,
      [issuer, subject],
    );
    return rows[0] ? shown(rows[0]) : null;
  }

  override async withIdentity(
    identity: Identity,
    email: string,
    name: string | null,
    { userId }: { readonly userId: string },
  ): Promise<Person> {
    const known = await this.knownAs(identity);
    if (known) return known;

    // One statement, so that nobody is erased between the two.
    const { rows } = await this.#query<Row>(
      `with person as (${NAMED}),
            kept as (insert into identities (issuer, subject, user_id) select $4, $5, user_id from person
                     on conflict do nothing)
       select ${COLUMNS} from person`,
      [userId, email.toLowerCase(), name, identity.issuer, identity.subject],
    );
    return only(rows);
  }

  override async setGoing(userId: string, going: Going | null): Promise<void> {
    await this.#query('update people set going = $2 where user_id = $1', [userId, going]);
  }

  override async going() {
    const { rows } = await this.#query<{ user_id: string; going: Going }>(
      'select user_id, going from people where going is not null',
    );
    return rows.map(({ user_id, going }) => ({ userId: user_id, going }));
  }

  override async erase(userId: string): Promise<void> {
    // One statement, so one transaction; the identities go with the person.
    await this.#query(
      `with sessions_of_theirs as (delete from sessions where user_id = $1) delete from people where user_id = $1`,
      [userId],
    );
  }

  #query<Row extends QueryResultRow>(query: string | QueryConfig, values?: unknown[]) {
    return answerTo(this.pool.query<Row>(query, values));
  }
}

function only([row]: readonly Row[]): Person {
  if (!row) throw new Error('A person that was inserted was not answered.');
  return shown(row);
}

const shown = (row: Row): Person => ({
  userId: row.user_id,
  email: row.email,
  name: row.name,
  createdAt: row.created_at.toISOString(),
});
