import { hash } from 'node:crypto';
import type { Pool } from 'pg';
import { answerTo } from '../../../storage/postgres/database-fault.js';
import type { Table } from '../../../storage/tables/table.js';

const SCHEMA = `
create table if not exists used_tickets (
  ticket_hash text primary key,
  expires_at  timestamptz not null
);
create index if not exists used_tickets_over on used_tickets (expires_at);
`;

/** Tickets that have let a visitor in, so that each does so once, on any of the processes. */
export class UsedTickets {
  constructor(private readonly pool: Pool) {}

  /**
   * Uses a ticket up, durably: of any number of calls for it one answers true.
   *
   * @param expiresAt when the ticket itself is over, in milliseconds since 1970
   */
  async use(ticketId: string, expiresAt: number): Promise<boolean> {
    const { rowCount } = await answerTo(
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
  // Ten minutes more, for processes whose clocks differ.
  cleaning: {
    everyMs: 10 * 60_000,
    statement: "delete from used_tickets where expires_at < now() - interval '10 minutes'",
  },
  access: UsedTickets,
  open: ({ pool }) => new UsedTickets(pool),
};
