import type { Pool } from 'pg';
import type { Person } from '../../kernel/ports/people.js';
import { Waitlist } from '../../kernel/ports/waitlist.js';
import { answerTo } from '../../postgres/database-fault.js';

/** One query, which Postgres runs as one transaction: processes that start together wait for each other. */
const SCHEMA = `
select pg_advisory_xact_lock(hashtextextended('stele waitlist schema', 0));
create table if not exists waitlist (
  email     text primary key, -- lower-cased
  note      text,
  joined_at timestamptz not null default now()
);
`;

/** The waitlist in PostgreSQL. */
export class WaitlistTable extends Waitlist {
  constructor(private readonly pool: Pool) {
    super();
  }

  async start() {
    await this.pool.query(SCHEMA);
  }

  override async join(email: string, note: string | null) {
    const insert = 'insert into waitlist (email, note) values ($1, $2) on conflict (email) do nothing';
    await answerTo(this.pool.query(insert, [email.toLowerCase(), note]));
  }

  override async forget({ email }: Pick<Person, 'email'>) {
    await answerTo(this.pool.query('delete from waitlist where email = $1', [email.toLowerCase()]));
  }
}
