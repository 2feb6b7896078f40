import { hash } from 'node:crypto';
import type { Pool } from 'pg';
import { UsedTickets } from '../../kernel/ports/used-tickets.js';
import { answerTo } from '../../postgres/database-fault.js';

const SCHEMA = `
select pg_advisory_xact_lock(hashtextextended('stele used tickets schema', 0));
create table if not exists used_tickets (
  ticket_hash text primary key,
  expires_at  timestamptz not null
);
create index if not exists used_tickets_over on used_tickets (expires_at);
`;

const FORGET_EVERY_MS = 600_000;

/** Used tickets in PostgreSQL, for all processes on one database. */
export class UsedTicketsTable extends UsedTickets {
  constructor(private readonly pool: Pool) {
    super();
  }

  /** Creates the table; every ten minutes forgets what is over. A margin stands for clocks that differ. */
  async start(signal: AbortSignal) {
    await this.pool.query(SCHEMA);
    const forgetting = setInterval(() => {
      this.pool
        .query("delete from used_tickets where expires_at < now() - interval '10 minutes'")
        .catch(() => undefined);
    }, FORGET_EVERY_MS).unref();
    signal.addEventListener('abort', () => clearInterval(forgetting), { once: true });
  }

  override async use(ticketId: string, expiresAt: number): Promise<boolean> {
    const { rowCount } = await answerTo(
      this.pool.query('insert into used_tickets values ($1, $2) on conflict do nothing', [
        hash('sha256', ticketId),
        new Date(expiresAt),
      ]),
    );
    return rowCount === 1;
  }
}
