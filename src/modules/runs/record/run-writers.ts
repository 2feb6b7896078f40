import type { Pool, QueryResultRow } from 'pg';
import { awaitDatabase } from '../../../storage/postgres/database-fault.js';
import type { Table } from '../../../storage/tables/table.js';

const SCHEMA = `
create table if not exists run_writers (
  run_id     text collate "C" primary key,
  writer     text        not null, -- user, IP network or hash of a token
  claimed_at timestamptz not null default now()
);
`;

/** Time for which writers are cached. It is short, because another process may have deleted the writer of a run. */
const KNOWN_MS = 10_000;
const MAX_KNOWN = 10_000;

/**
 * Stores who can write to each run. The writer may be an IP address, so it is stored outside the event log, where it
 * can be deleted.
 */
export class RunWriters {
  /** Writers by run. They are cached because consecutive events come from the same caller. */
  readonly #known = new Map<string, string>();
  #since = 0;

  constructor(private readonly pool: Pool) {}

  /**
   * Reports whether the caller can write to the run. `proofs` identify the caller by user ID, edit token and address.
   * The first caller becomes the writer of the run, and the first of their proofs is stored.
   */
  async canWrite(runId: string, proofs: readonly string[]): Promise<boolean> {
    const known = this.#writers().get(runId);
    const writer = known ?? (await this.#writer(runId)) ?? (await this.#claim(runId, proofs[0] ?? ''));
    this.#writers().set(runId, writer);
    return proofs.includes(writer);
  }

  /** Returns up to `limit` IDs of runs that began before `time`, in order, starting after the ID `after`. */
  async begunBefore(time: Date, after: string, limit: number): Promise<readonly string[]> {
    const { rows } = await this.#query<{ run_id: string }>(
      'select run_id from run_writers where claimed_at < $1 and run_id > $2 order by run_id limit $3',
      [time, after, limit],
    );
    return rows.map(({ run_id }) => run_id);
  }

  async forget(runId: string): Promise<void> {
    await this.#query('delete from run_writers where run_id = $1', [runId]);
    this.#known.delete(runId);
  }

  #writers(): Map<string, string> {
    const now = performance.now();
    if (now - this.#since > KNOWN_MS || this.#known.size >= MAX_KNOWN) {
      this.#known.clear();
      this.#since = now;
    }
    return this.#known;
  }

  async #claim(runId: string, proof: string): Promise<string> {
    await this.#query('insert into run_writers (run_id, writer) values ($1, $2) on conflict (run_id) do nothing', [
      runId,
      proof,
    ]);
    return (await this.#writer(runId)) ?? proof;
  }

  async #writer(runId: string): Promise<string | undefined> {
    const { rows } = await this.#query<{ writer: string }>('select writer from run_writers where run_id = $1', [runId]);
    return rows[0]?.writer;
  }

  #query<Row extends QueryResultRow>(query: string, values: unknown[]) {
    return awaitDatabase(this.pool.query<Row>(query, values));
  }
}

export const runWritersTable: Table<RunWriters> = {
  name: 'run writers',
  lock: 'stele run writers schema',
  schema: SCHEMA,
  access: RunWriters,
  open: ({ pool }) => new RunWriters(pool),
};
