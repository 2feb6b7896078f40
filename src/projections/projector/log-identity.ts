import type { Pool } from 'pg';
import type { EventStore, Recorded } from '../../kernel/event-store.js';
import { endedWithConnection } from '../../kernel/faults/ignored-fault.js';
import { createSchema } from '../../storage/postgres/create-schema.js';

/** Key of the advisory lock that ensures that only one of several starting processes resets the read models. */
const LOCK = 7_302_003;

const SCHEMA = `
create table if not exists followed_log (
  one boolean primary key default true check (one),
  engine text not null,
  first_event text not null, -- its ID; empty if the log is empty
  position bigint not null
)`;

/** Thrown if the read models were built from a different event log. The message explains what to do. */
export class DifferentLogError extends Error {
  override readonly name = 'DifferentLogError';
}

/**
 * Identifies the event log by its first event and that event’s position. Positions are not valid in another store, so
 * the read models are rebuilt after the log has been moved.
 */
export class LogIdentity {
  constructor(
    private readonly pool: Pool,
    private readonly store: EventStore,
  ) {}

  /**
   * Marks all read models as missing if the event log was moved to another store. If no log was recorded before,
   * assumes that it was in this database (`postgresql`). Throws `DifferentLogError` if a different log was recorded.
   * The checkpoints table must exist.
   */
  async check(engine: string): Promise<void> {
    const first = await this.#first();
    const client = await this.pool.connect();
    try {
      await client.query('begin');
      await createSchema(client, LOCK, SCHEMA);
      const known = await client.query<{ engine: string; id: string; position: string }>(
        'select engine, first_event as id, position from followed_log',
      );
      const kept = await client.query('select from checkpoints where position > 0');
      const before = known.rows[0] ?? { engine: 'postgresql', id: '', position: '0' };
      const [id, position] = [first?.id ?? '', String(first?.position ?? 0)];
      if (kept.rows.length > 0 && (id === '' || (before.id !== '' && before.id !== id)))
        throw new DifferentLogError(differs(first));
      const isFollowed = before.engine === engine && (before.id === '' || before.position === position);
      if (!isFollowed) await client.query('delete from checkpoints');
      await client.query(
        `insert into followed_log (engine, first_event, position) values ($1, $2, $3)
         on conflict (one) do update set
           engine = excluded.engine, first_event = excluded.first_event, position = excluded.position`,
        [engine, id, position],
      );
      await client.query('commit');
    } catch (error) {
      await client.query('rollback').catch(endedWithConnection);
      throw error;
    } finally {
      client.release();
    }
  }

  /**
   * Returns an ID of the event log, which changes when the log is moved to another store. `check` must be called first.
   */
  async name(): Promise<string> {
    const { rows } = await this.pool.query<{ name: string }>(
      "select engine || ' ' || position as name from followed_log",
    );
    return rows[0]?.name ?? '';
  }

  async #first(): Promise<Recorded | undefined> {
    const last = await this.store.lastPosition();
    for await (const [first] of this.store.scan(0n, last, new AbortController().signal)) return first;
    return undefined;
  }
}

const differs = (first: Recorded | undefined) =>
  `${first ? 'The event store contains a different history from the one these sites were built from.' : 'The event store is empty, but these sites were built from an earlier history.'}
Copy that history first (npm run events -- copy --from … --to …), or correct EVENTSTORE_URL or STELE_DATA.`;
