import type { Pool, QueryConfig, QueryResultRow } from 'pg';
import type { Identity } from '../../kernel/ports/outside/identity-provider.js';
import { awaitDatabase } from '../../storage/postgres/database-fault.js';
import type { Table } from '../../storage/tables/table.js';

export type Person = {
  readonly userId: string;
  /** The user's email address in lower case. */
  readonly email: string;
  readonly name: string | null;
  readonly createdAt: string;
};

/** How a user is being erased: alone, or together with the sites that would otherwise have no owner. */
export type PendingErasure = 'alone' | 'with-sites';

const SCHEMA = `
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
alter table people add column if not exists going text; -- erasure in progress: 'alone' or 'with-sites'; otherwise null
`;

const COLUMNS = 'user_id, email, name, created_at';

/**
 * SQL that adds a user, or returns the existing one with this address. The update makes PostgreSQL return an existing
 * row even if nothing changes.
 */
const NAMED = `insert into people (user_id, email, name) values ($1, $2, $3)
  on conflict (email) do update set name = coalesce(people.name, excluded.name) returning ${COLUMNS}`;

type PersonRow = {
  readonly user_id: string;
  readonly email: string;
  readonly name: string | null;
  readonly created_at: Date;
};

/**
 * Users and their email addresses. All other records refer to users by ID, so that a user can be erased without
 * changing the log (docs/interface/accounts.md, "Deleting an account").
 */
export class People {
  constructor(private readonly pool: Pool) {}

  async find(userId: string): Promise<Person | null> {
    const { rows } = await this.#query<PersonRow>(`select ${COLUMNS} from people where user_id = $1`, [userId]);
    return rows[0] ? personOf(rows[0]) : null;
  }

  async findAll(userIds: readonly string[]): Promise<ReadonlyMap<string, Person>> {
    if (userIds.length === 0) return new Map();
    const { rows } = await this.#query<PersonRow>(`select ${COLUMNS} from people where user_id = any($1)`, [userIds]);
    return new Map(rows.map((row) => [row.user_id, personOf(row)]));
  }

  /** Returns the user who currently has this email address, ignoring case, or null if there is none. */
  async findByEmail(email: string): Promise<Person | null> {
    const { rows } = await this.#query<PersonRow>(`select ${COLUMNS} from people where email = $1`, [
      email.toLowerCase(),
    ]);
    return rows[0] ? personOf(rows[0]) : null;
  }

  /** Returns the user with this email address, ignoring case, or creates one with the given ID. */
  async withEmail(email: string, { userId }: { readonly userId: string }): Promise<Person> {
    const { rows } = await this.#query<PersonRow>(NAMED, [userId, email.toLowerCase(), null]);
    return only(rows);
  }

  /** Returns the user who signed in before with this identity at an identity provider, or null if there is none. */
  async knownAs({ issuer, subject }: Identity): Promise<Person | null> {
    const { rows } = await this.#query<PersonRow>(
      `select ${COLUMNS} from people join identities using (user_id) where issuer = $1 and subject = $2`,
      [issuer, subject],
    );
    return rows[0] ? personOf(rows[0]) : null;
  }

  /**
   * Finds or creates the user for an identity at an identity provider. Returns the user who signed in before with this
   * identity. Otherwise, links the identity to the user with this email address, which the provider has verified. If
   * there is no such user either, creates one with the given ID.
   */
  async withIdentity(
    identity: Identity,
    email: string,
    name: string | null,
    { userId }: { readonly userId: string },
  ): Promise<Person> {
    const known = await this.knownAs(identity);
    if (known) return known;

    // Use a single statement, so that the user cannot be erased between the two inserts.
    const { rows } = await this.#query<PersonRow>(
      `with person as (${NAMED}),
            kept as (insert into identities (issuer, subject, user_id) select $4, $5, user_id from person
                     on conflict do nothing)
       select ${COLUMNS} from person`,
      [userId, email.toLowerCase(), name, identity.issuer, identity.subject],
    );
    return only(rows);
  }

  /** Changes or removes a user's name. Returns null if the user no longer exists. */
  async rename(userId: string, name: string | null): Promise<Person | null> {
    const { rows } = await this.#query<PersonRow>(
      `update people set name = $2 where user_id = $1 and going is null returning ${COLUMNS}`,
      [userId, name],
    );
    return rows[0] ? personOf(rows[0]) : null;
  }

  /**
   * Records that the user is being erased, and whether the sites that would have no owner are deleted too. Null cancels
   * the erasure.
   */
  async setGoing(userId: string, pendingErasure: PendingErasure | null): Promise<void> {
    await this.#query('update people set going = $2 where user_id = $1', [userId, pendingErasure]);
  }

  /** Returns the users whose erasure has begun. */
  async going(): Promise<readonly { readonly userId: string; readonly pendingErasure: PendingErasure }[]> {
    const { rows } = await this.#query<{ user_id: string; going: PendingErasure }>(
      'select user_id, going from people where going is not null',
    );
    return rows.map(({ user_id, going }) => ({ userId: user_id, pendingErasure: going }));
  }

  /** Deletes the user’s address, name, identities and sessions. The ID remains in the log, but refers to nobody. */
  async erase(userId: string): Promise<void> {
    // Use a single statement, so that the user and their sessions are deleted in one transaction. The user's identities
    // are deleted by `on delete cascade`.
    await this.#query(
      `with sessions_of_theirs as (delete from sessions where user_id = $1) delete from people where user_id = $1`,
      [userId],
    );
  }

  #query<Row extends QueryResultRow>(query: string | QueryConfig, values?: unknown[]) {
    return awaitDatabase(this.pool.query<Row>(query, values));
  }
}

function only([row]: readonly PersonRow[]): Person {
  if (!row) throw new Error('The database did not return the user it inserted.');
  return personOf(row);
}

const personOf = (row: PersonRow): Person => ({
  userId: row.user_id,
  email: row.email,
  name: row.name,
  createdAt: row.created_at.toISOString(),
});

export const peopleTable: Table<People> = {
  name: 'people',
  lock: 'stele people schema',
  schema: SCHEMA,
  access: People,
  open: ({ pool }) => new People(pool),
};
