import type { Pool } from 'pg';
import type { DataSubject, PersonalDataStore } from '../../kernel/ports/personal-data-stores.js';
import { awaitDatabase } from '../../storage/postgres/database-fault.js';
import type { Table } from '../../storage/tables/table.js';

const SCHEMA = `
create table if not exists waitlist (
  email     text primary key, -- lower-cased
  note      text,
  joined_at timestamptz not null default now()
);
`;

/** Stores the waitlist outside the event log, so that email addresses can be deleted. */
export class Waitlist implements PersonalDataStore {
  constructor(private readonly pool: Pool) {}

  /** Adds an email address to the waitlist. If the address is already stored, its note is not replaced. */
  async join(email: string, note: string | null): Promise<void> {
    const insert = 'insert into waitlist (email, note) values ($1, $2) on conflict (email) do nothing';
    await awaitDatabase(this.pool.query(insert, [email.toLowerCase(), note]));
  }

  async forget({ email }: Pick<DataSubject, 'email'>): Promise<void> {
    await awaitDatabase(this.pool.query('delete from waitlist where email = $1', [email.toLowerCase()]));
  }
}

export const waitlistTable: Table<Waitlist> = {
  name: 'waitlist',
  lock: 'stele waitlist schema',
  schema: SCHEMA,
  access: Waitlist,
  open: ({ pool }) => new Waitlist(pool),
  keepsPersonalData: true,
};
