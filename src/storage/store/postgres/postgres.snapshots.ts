import type { Pool } from 'pg';
import type { DomainEvent, Fold } from '../../../kernel/decider.js';
import { type Folded, Snapshots } from '../../../kernel/snapshots.js';
import { createSchema } from '../../postgres/create-schema.js';
import { QUERY_TIMEOUT, withRetry } from '../../postgres/retry.js';
import { SCHEMA_LOCK, SNAPSHOTS } from './postgres.schema.js';

const LOAD = 'select revision, hash, state from snapshots where stream = $1 and fold = $2 and fold_version = $3';

/** Saves a snapshot. Never replaces a snapshot from a newer version of the fold. */
const SAVE = `
  insert into snapshots as kept (stream, fold, fold_version, revision, hash, state) values ($1, $2, $3, $4, $5, $6)
  on conflict (stream, fold) do update
  set fold_version = excluded.fold_version, revision = excluded.revision, hash = excluded.hash, state = excluded.state
  where (kept.fold_version, kept.revision) < (excluded.fold_version, excluded.revision)`;

type SnapshotRow = { readonly revision: number; readonly hash: string | null; readonly state: string };

/** Stores snapshots as JSON, regardless of where the events are stored. */
export class PostgresSnapshots extends Snapshots {
  constructor(private readonly pool: Pool) {
    super();
  }

  async start(): Promise<void> {
    await withRetry(() => createSchema(this.pool, SCHEMA_LOCK, SNAPSHOTS));
  }

  override async load<State, Event extends DomainEvent>(
    stream: string,
    fold: Fold<State, Event>,
  ): Promise<Folded<State> | null> {
    const load = { text: LOAD, values: [stream, fold.name, fold.version], ...QUERY_TIMEOUT };
    const { rows } = await withRetry(() => this.pool.query<SnapshotRow>(load));
    const [row] = rows;
    return row ? { state: JSON.parse(row.state), head: { revision: row.revision, hash: row.hash } } : null;
  }

  override async save<State, Event extends DomainEvent>(
    stream: string,
    { name, version }: Fold<State, Event>,
    { state, head }: Folded<State>,
  ): Promise<void> {
    await this.pool.query(SAVE, [stream, name, version, head.revision, head.hash, JSON.stringify(state)]);
  }
}
