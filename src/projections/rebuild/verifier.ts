import type { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { type Difference, Table } from '../projector/read-model-table.js';
import type { AnyReadModel } from '../read-model.js';
import type { LogIntoShadows } from './shadow-loader.js';
import type { Shadow } from './shadow-table.js';

const MOST_DIFFERENCES = 10;

export type Verdict = {
  readonly model: string;
  readonly position: bigint;
  readonly rows: number;
  readonly digest: string;
  /** What the log says the rows are. */
  readonly dueRows: number;
  readonly dueDigest: string;
  /** The first ones. */
  readonly differences: readonly Difference[];
};

/** Compares the table that is read with one that was built beside it. */
export class Comparing {
  constructor(
    private readonly db: DataSource,
    private readonly log: LogIntoShadows,
  ) {}

  async compare(session: Client, shadow: Shadow, position: bigint, signal: AbortSignal): Promise<Verdict> {
    const { model, table } = shadow;
    const live = new Table(this.db, model);
    // One moment of the live table and of its checkpoint; what is applied to catch up with it is seen too.
    await session.query('begin isolation level repeatable read');
    try {
      const place = await placeOf(session, model);
      await this.log.apply(session, shadow, position, place, signal);
      const [stands, due] = [await live.digest(session), await table.digest(session)];
      const same = stands.digest === due.digest && stands.rows === due.rows;
      return {
        model: model.name,
        position: place,
        ...stands,
        dueRows: due.rows,
        dueDigest: due.digest,
        differences: same ? [] : await live.differences(session, table, MOST_DIFFERENCES),
      };
    } finally {
      await session.query('rollback').catch(() => undefined);
    }
  }
}

/** Up to which event the live table of a model has been brought. */
export async function placeOf(session: Client, { name, version }: AnyReadModel): Promise<bigint> {
  const { rows } = await session.query<{ position: string }>(
    'select position from checkpoints where name = $1 and version = $2',
    [name, version],
  );
  return BigInt(rows[0]?.position ?? 0);
}
