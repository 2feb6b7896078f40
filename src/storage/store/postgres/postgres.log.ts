import { DatabaseError, type Pool } from 'pg';
import type { RawEvent } from '../../../kernel/event-store.js';
import { endedWithConnection } from '../../../kernel/faults/ignored-fault.js';
import { integerArray, textArray } from '../../postgres/array-parameter.js';
import { createSchema } from '../../postgres/create-schema.js';
import { QUERY_TIMEOUT, withRetry } from '../../postgres/retry.js';
import { LogMismatchError, type PositionedEvent, WholeLog } from '../whole-log.js';
import { APPEND_LOCK, SCHEMA, SCHEMA_LOCK } from './postgres.schema.js';

const PAGE = 1_000;
const PAGE_CHARACTERS = 4 * 1024 * 1024;

const AFTER = {
  name: 'log_after',
  text: `
    select position, stream, revision, id, type, schema, at, actor, data, hash, previous_hash as "previousHash"
    from events where position > $1 order by position limit $2`,
  ...QUERY_TIMEOUT,
};

/**
 * Inserts events without checking hashes or first revisions. A stream’s first revision is above 1 if earlier events
 * were dropped.
 */
const INSERT = `
  insert into events (stream, revision, id, type, schema, at, actor, data, hash, previous_hash)
  select stream, revision, id, type, schema, at, actor, data, hash, previous_hash
  from unnest($1::text[], $2::integer[], $3::text[], $4::text[], $5::integer[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[])
    with ordinality as given (stream, revision, id, type, schema, at, actor, data, hash, previous_hash, n)
  order by n`;

export class PostgresLog extends WholeLog {
  #isCreated = false;

  constructor(
    private readonly pool: Pool,
    override readonly description: string,
    private readonly release: () => Promise<void>,
  ) {
    super();
  }

  override async *after(position: bigint, signal: AbortSignal): AsyncIterable<readonly PositionedEvent[]> {
    if (!(await this.#hasTable())) return;
    let limit = 100;
    while (!signal.aborted) {
      const values = [String(position), limit];
      const { rows } = await withRetry(() =>
        this.pool.query<Omit<PositionedEvent, 'position'> & { position: string }>({ ...AFTER, values }),
      );
      const page = rows.map((row) => ({ ...row, position: BigInt(row.position) }));
      const last = page.at(-1);
      if (!last) return;
      yield page;
      position = last.position;
      const characters = page.reduce((sum, { data }) => sum + data.length, 0);
      limit = Math.max(1, Math.min(PAGE, 4 * limit, Math.floor((PAGE_CHARACTERS * page.length) / (characters + 1))));
    }
  }

  override async last(): Promise<bigint> {
    if (!(await this.#hasTable())) return 0n;
    const { rows } = await withRetry(() =>
      this.pool.query<{ last: string }>('select coalesce(max(position), 0) as last from events'),
    );
    return BigInt(rows[0]?.last ?? 0);
  }

  override async append(events: readonly RawEvent[]): Promise<void> {
    if (!this.#isCreated) await withRetry(() => createSchema(this.pool, SCHEMA_LOCK, SCHEMA));
    this.#isCreated = true;
    const texts = (field: 'stream' | 'id' | 'type' | 'at' | 'actor' | 'data' | 'hash' | 'previousHash') =>
      textArray(events.map((event) => event[field]));
    const numbers = (field: 'revision' | 'schema') => integerArray(events.map((event) => event[field]));
    const values = [
      ...[texts('stream'), numbers('revision'), texts('id'), texts('type'), numbers('schema'), texts('at')],
      ...[texts('actor'), texts('data'), texts('hash'), texts('previousHash')],
    ];
    const client = await this.pool.connect();
    try {
      // The insert is not retried after a lost response. When the copy is resumed, it finds out whether the events were
      // written.
      await client.query('begin');
      await client.query(`select pg_advisory_xact_lock(${APPEND_LOCK})`);
      await client.query({ text: INSERT, values, ...QUERY_TIMEOUT });
      await client.query('commit');
    } catch (error) {
      await client.query('rollback').catch(endedWithConnection);
      if (!(error instanceof DatabaseError && error.code === '23505')) throw error;
      throw new LogMismatchError(`Another process has written to ${this.description}.`);
    } finally {
      client.release();
    }
  }

  override close = () => this.release();

  async #hasTable(): Promise<boolean> {
    const { rows } = await withRetry(() =>
      this.pool.query<{ there: boolean }>("select to_regclass('events') is not null as there"),
    );
    return rows[0]?.there ?? false;
  }
}
