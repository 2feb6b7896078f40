import { hash } from 'node:crypto';
import type { Pool } from 'pg';
import { awaitDatabase } from '../../../storage/postgres/database-fault.js';
import type { Table } from '../../../storage/tables/table.js';

const SCHEMA = `
create table if not exists used_tickets (
  ticket_hash text primary key,
  expires_at  timestamptz not null
);
create index if not exists used_tickets_over on used_tickets (expires_at);
`;

/** Records used tickets, so that each ticket admits a visitor only once across all processes. */
export class UsedTickets {
  constructor(private readonly pool: Pool) {}

  /**
   * Durably uses up a ticket. If it is called several times for the same ticket, only one call returns true.
   *
   * @param expiresAt when the ticket itself expires, in milliseconds since 1970
   */
  async use(ticketId: string, expiresAt: number): Promise<boolean> {
    const { rowCount } = await awaitDatabase(
      this.pool.query('insert into used_tickets values ($1, $2) on conflict do nothing', [
        hash('sha256', ticketId),
        new Date(expiresAt),
      ]),
    );
    return rowCount === 1;
  }
}

export const usedTicketsTable: Table<UsedTickets> = {
  name: 'used tickets',
  lock: 'stele used tickets schema',
  schema: SCHEMA,
  // Keep used tickets for ten minutes after they expire, because the clocks of processes may differ.
  cleaning: {
    everyMs: 10 * 60_000,
    statement: "delete from used_tickets where expires_at < now() - interval '10 minutes'",
  },
  access: UsedTickets,
  open: ({ pool }) => new UsedTickets(pool),
};
