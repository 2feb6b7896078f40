import type { Pool } from 'pg';
import type { RawEvent } from '../kernel/event-store.js';
import { integerArray, textArray } from './array-parameter.js';
import { ANSWER_IN_TIME, patiently } from './database-away.js';
import { SCHEMA, SCHEMA_LOCK } from './postgres.schema.js';
import { DoesNotFit, type Placed, WholeLog } from './whole-log.js';

const PAGE = 1_000;
const PAGE_CHARACTERS = 4 * 1024 * 1024;

const AFTER = {
  name: 'log_after',
  text: `
    select position, stream, revision, id, type, schema, at, actor, data, hash, previous_hash as "previousHash"
    from events where position > $1 order by position limit $2`,
  ...ANSWER_IN_TIME,
};

const APPEND = {
  name: 'append_events',
  text: 'select appended from append_events($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11)',
  ...ANSWER_IN_TIME,
};

/** The log that `PostgresEngine` keeps. Appends go by its own function: a link to another hash is refused there. */
export class PostgresLog extends WholeLog {
  #isThere = false;

  constructor(
    private readonly pool: Pool,
    override readonly description: string,
    private readonly release: () => Promise<void>,
  ) {
    super();
  }

  override async *after(position: bigint, signal: AbortSignal): AsyncIterable<readonly Placed[]> {
    if (!(await this.#hasTable())) return;
    let most = 100;
    while (!signal.aborted) {
      const values = [String(position), most];
      const { rows } = await patiently(() =>
        this.pool.query<Omit<Placed, 'position'> & { position: string }>({ ...AFTER, values }),
      );
      const page = rows.map((row) => ({ ...row, position: BigInt(row.position) }));
      const last = page.at(-1);
      if (!last) return;
      yield page;
      position = last.position;
      const characters = page.reduce((sum, { data }) => sum + data.length, 0);
      most = Math.max(1, Math.min(PAGE, 4 * most, Math.floor((PAGE_CHARACTERS * page.length) / (characters + 1))));
    }
  }

  override async last(): Promise<bigint> {
    if (!(await this.#hasTable())) return 0n;
    const { rows } = await patiently(() =>
      this.pool.query<{ last: string }>('select coalesce(max(position), 0) as last from events'),
    );
    return BigInt(rows[0]?.last ?? 0);
  }

  override async place(events: readonly RawEvent[]): Promise<void> {
    if (!this.#isThere)
      await patiently(() => this.pool.query(`select pg_advisory_xact_lock(${SCHEMA_LOCK}); ${SCHEMA}`));
    this.#isThere = true;
    const heads = new Map<string, number>();
    for (const { stream, revision } of events) if (!heads.has(stream)) heads.set(stream, revision - 1);
    const values = [
      textArray(events.map(({ stream }) => stream)),
      integerArray(events.map(({ stream }) => heads.get(stream) ?? 0)),
      integerArray(events.map(({ revision }) => revision)),
      ...(['id', 'type'] as const).map((field) => textArray(events.map((event) => event[field]))),
      integerArray(events.map(({ schema }) => schema)),
      ...(['at', 'actor', 'data', 'hash', 'previousHash'] as const).map((field) =>
        textArray(events.map((event) => event[field])),
      ),
    ];
    // Not asked again when its answer is lost: whether it was written is seen when the copy is taken up.
    const { rowCount } = await this.pool.query({ ...APPEND, values });
    if (rowCount !== events.length) throw new DoesNotFit(`Not all events fit the end of ${this.description}.`);
  }

  override close = () => this.release();

  async #hasTable(): Promise<boolean> {
    const { rows } = await patiently(() =>
      this.pool.query<{ there: boolean }>("select to_regclass('events') is not null as there"),
    );
    return rows[0]?.there ?? false;
  }
}
