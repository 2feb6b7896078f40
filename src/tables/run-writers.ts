import type { Pool, QueryResultRow } from 'pg';
import { RunWriters } from '../kernel/ports/run-writers.js';
import { answerTo } from '../postgres/database-fault.js';

/** One query, which Postgres runs as one transaction: processes that start together wait for each other. */
const SCHEMA = `
select pg_advisory_xact_lock(hashtextextended('stele run writers schema', 0));
create table if not exists run_writers (
  run_id     text collate "C" primary key,
  writer     text        not null, -- an address, or the hash of a token
  claimed_at timestamptz not null default now()
);
`;

/** What is known of writers is asked again after so long, as another process may have forgotten a run. Milliseconds. */
const KNOWN_MS = 10_000;
const MOST_KNOWN = 10_000;

/** The writers of runs in PostgreSQL. */
export class RunWritersTable extends RunWriters {
  /** Of runs that are told of just now: line after line is by the same writer. */
  readonly #known = new Map<string, string>();
  #since = 0;

  constructor(private readonly pool: Pool) {
    super();
  }

  async start() {
    await this.pool.query(SCHEMA);
  }

  override async mayWrite(runId: string, proofs: readonly string[]): Promise<boolean> {
    const known = this.#writers().get(runId);
    const writer = known ?? (await this.#writer(runId)) ?? (await this.#claim(runId, proofs[0] ?? ''));
    this.#writers().set(runId, writer);
    return proofs.includes(writer);
  }

  override async begunBefore(time: Date, after: string, limit: number) {
    const { rows } = await this.#query<{ run_id: string }>(
      'select run_id from run_writers where claimed_at < $1 and run_id > $2 order by run_id limit $3',
      [time, after, limit],
    );
    return rows.map(({ run_id }) => run_id);
  }

  override async forget(runId: string) {
    await this.#query('delete from run_writers where run_id = $1', [runId]);
    this.#known.delete(runId);
  }

  #writers(): Map<string, string> {
    const now = performance.now();
    if (now - this.#since > KNOWN_MS || this.#known.size >= MOST_KNOWN) {
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
    return answerTo(this.pool.query<Row>(query, values));
  }
}
