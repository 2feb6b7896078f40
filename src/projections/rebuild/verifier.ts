import type { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { endedWithConnection } from '../../kernel/faults/ignored-fault.js';
import { ReadModelTable, type RowDifference } from '../projector/read-model-table.js';
import type { AnyReadModel } from '../read-model.js';
import type { ShadowLoader } from './shadow-loader.js';
import type { ShadowTable } from './shadow-table.js';

const MAX_DIFFERENCES = 10;

export type Verification = {
  readonly model: string;
  readonly position: bigint;
  readonly rows: number;
  readonly digest: string;
  /** The number of rows and the digest that the table should have according to the event log. */
  readonly expectedRows: number;
  readonly expectedDigest: string;
  readonly differences: readonly RowDifference[];
};

/** Compares a live table with a rebuilt one. */
export class Verifier {
  constructor(
    private readonly db: DataSource,
    private readonly loader: ShadowLoader,
  ) {}

  async compare(
    session: Client,
    shadowTable: ShadowTable,
    position: bigint,
    signal: AbortSignal,
  ): Promise<Verification> {
    const { model, table } = shadowTable;
    const live = new ReadModelTable(this.db, model);
    // Read the live table and its checkpoint from one consistent snapshot. This transaction also sees the rows that it
    // adds to the rebuilt table.
    await session.query('begin isolation level repeatable read');
    try {
      const checkpoint = await readCheckpoint(session, model);
      await this.loader.apply(session, shadowTable, position, checkpoint, signal);
      const [actual, expected] = [await live.digest(session), await table.digest(session)];
      const same = actual.digest === expected.digest && actual.rows === expected.rows;
      return {
        model: model.name,
        position: checkpoint,
        ...actual,
        expectedRows: expected.rows,
        expectedDigest: expected.digest,
        differences: same ? [] : await live.differences(session, table, MAX_DIFFERENCES),
      };
    } finally {
      await session.query('rollback').catch(endedWithConnection);
    }
  }
}

/** Returns the position in the event log that a model's live table has reached, or 0 if there is no table. */
export async function readCheckpoint(session: Client, { name, version }: AnyReadModel): Promise<bigint> {
  const { rows } = await session.query<{ position: string }>(
    'select position from checkpoints where name = $1 and version = $2',
    [name, version],
  );
  return BigInt(rows[0]?.position ?? 0);
}
