import type { Pool, QueryResultRow } from 'pg';
import type { DataSubject, PersonalDataStore } from '../../../../kernel/ports/personal-data-stores.js';
import { awaitDatabase } from '../../../../storage/postgres/database-fault.js';
import type { Table } from '../../../../storage/tables/table.js';

export type SentInvite = {
  readonly inviteId: string;
  readonly siteId: string;
  readonly email: string;
  /** When the invite expires, as an RFC 3339 timestamp. */
  readonly expiresAt: string;
};

const SCHEMA = `
create table if not exists invites (
  invite_id  text primary key,
  site_id    text not null,
  email      text not null, -- lower-cased
  expires_at timestamptz not null
);
create index if not exists invites_of_address on invites (email, site_id);
create index if not exists invites_over on invites (expires_at);
`;

/**
 * Addresses that invites were sent to. Events contain only the ID of an invite, so that an address can be erased here
 * while the log stays intact (docs/interface/accounts.md, "Deleting an account"). Addresses of accepted, revoked and
 * expired invites are deleted.
 */
export class InviteStore implements PersonalDataStore {
  constructor(private readonly pool: Pool) {}

  async keep({ inviteId, siteId, email, expiresAt }: SentInvite): Promise<void> {
    await this.#query('insert into invites (invite_id, site_id, email, expires_at) values ($1, $2, $3, $4)', [
      inviteId,
      siteId,
      email.toLowerCase(),
      expiresAt,
    ]);
  }

  /** Returns the IDs of unexpired invites to the address, oldest first. */
  async to(siteId: string, email: string): Promise<readonly string[]> {
    const { rows } = await this.#query<{ invite_id: string }>(
      'select invite_id from invites where site_id = $1 and email = $2 and expires_at > now() order by expires_at',
      [siteId, email.toLowerCase()],
    );
    return rows.map(({ invite_id }) => invite_id);
  }

  /** Returns addresses by invite ID. Deleted addresses are missing. */
  async emailsOf(inviteIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const { rows } = await this.#query<{ invite_id: string; email: string }>(
      'select invite_id, email from invites where invite_id = any($1)',
      [inviteIds],
    );
    return new Map(rows.map(({ invite_id, email }) => [invite_id, email]));
  }

  async drop(inviteIds: readonly string[]): Promise<void> {
    await this.#query('delete from invites where invite_id = any($1)', [inviteIds]);
  }

  async dropOfSite(siteId: string): Promise<void> {
    await this.#query('delete from invites where site_id = $1', [siteId]);
  }

  /** Deletes the user's address from all invites. An open invite can still be accepted through its link. */
  async forget({ email }: Pick<DataSubject, 'email'>): Promise<void> {
    await this.#query('delete from invites where email = $1', [email.toLowerCase()]);
  }

  #query<Row extends QueryResultRow>(query: string, values: unknown[]) {
    return awaitDatabase(this.pool.query<Row>(query, values));
  }
}

export const invitesTable: Table<InviteStore> = {
  name: 'invites',
  lock: 'stele invites schema',
  schema: SCHEMA,
  cleaning: { everyMs: 10 * 60_000, statement: 'delete from invites where expires_at < now()' },
  access: InviteStore,
  open: ({ pool }) => new InviteStore(pool),
  keepsPersonalData: true,
};
