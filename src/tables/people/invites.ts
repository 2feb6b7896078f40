import type { Pool, QueryResultRow } from 'pg';
import { Invites, type SentInvite } from '../../kernel/ports/invites.js';
import type { Person } from '../../kernel/ports/people.js';
import { answerTo } from '../../postgres/database-fault.js';

const SCHEMA = `
select pg_advisory_xact_lock(hashtextextended('stele invites schema', 0));
create table if not exists invites (
  invite_id  text primary key,
  site_id    text not null,
  email      text not null, -- lower-cased
  expires_at timestamptz not null
);
create index if not exists invites_of_address on invites (email, site_id);
create index if not exists invites_over on invites (expires_at);
`;

const FORGET_EVERY_MS = 600_000;

/** Whom invites went to, in PostgreSQL. */
export class InvitesTable extends Invites {
  constructor(private readonly pool: Pool) {
    super();
  }

  /** Creates the table; every ten minutes forgets whom invites went to that are over. */
  async start(signal: AbortSignal) {
    await this.pool.query(SCHEMA);
    const forgetting = setInterval(() => {
      this.pool.query('delete from invites where expires_at < now()').catch(() => undefined);
    }, FORGET_EVERY_MS).unref();
    signal.addEventListener('abort', () => clearInterval(forgetting), { once: true });
  }

  override async keep({ inviteId, siteId, email, expiresAt }: SentInvite): Promise<void> {
    await this.#query('insert into invites (invite_id, site_id, email, expires_at) values ($1, $2, $3, $4)', [
      inviteId,
      siteId,
      email.toLowerCase(),
      expiresAt,
    ]);
  }

  override async to(siteId: string, email: string): Promise<readonly string[]> {
    const { rows } = await this.#query<{ invite_id: string }>(
      'select invite_id from invites where site_id = $1 and email = $2 and expires_at > now() order by expires_at',
      [siteId, email.toLowerCase()],
    );
    return rows.map(({ invite_id }) => invite_id);
  }

  override async emailsOf(inviteIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const { rows } = await this.#query<{ invite_id: string; email: string }>(
      'select invite_id, email from invites where invite_id = any($1)',
      [inviteIds],
    );
    return new Map(rows.map(({ invite_id, email }) => [invite_id, email]));
  }

  override async drop(inviteIds: readonly string[]): Promise<void> {
    await this.#query('delete from invites where invite_id = any($1)', [inviteIds]);
  }

  override async forget({ email }: Pick<Person, 'email'>): Promise<void> {
    await this.#query('delete from invites where email = $1', [email.toLowerCase()]);
  }

  #query<Row extends QueryResultRow>(query: string, values: unknown[]) {
    return answerTo(this.pool.query<Row>(query, values));
  }
}
