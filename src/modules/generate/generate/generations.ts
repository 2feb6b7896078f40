import type { Pool, PoolClient } from 'pg';
import { endedWithConnection } from '../../../kernel/faults/ignored-fault.js';
import type { DataSubject, PersonalDataStore } from '../../../kernel/ports/personal-data-stores.js';
import { awaitDatabase } from '../../../storage/postgres/database-fault.js';
import type { Table } from '../../../storage/tables/table.js';

const SCHEMA = `
create table if not exists generations (
  day    date not null,
  person text not null,
  taken  integer not null,
  primary key (day, person)
);
`;

/** Stored instead of a user ID in the row with the total number of prompts of all users. */
const ALL = '';

const TAKE = `
insert into generations (day, person, taken) values (coalesce($3, (clock_timestamp() at time zone 'utc')::date), $1, 1)
on conflict (day, person) do update set taken = generations.taken + 1 where generations.taken < $2
returning day::text`;

export type CountedPrompt = { readonly day: string; readonly userId: string };

export type PromptLimits = {
  readonly perDay: number;
  readonly perDayInAll: number;
};

/** Counts the prompts sent to the model by day (UTC) and user. The prompts themselves are not stored. */
export class Generations implements PersonalDataStore {
  constructor(private readonly pool: Pool) {}

  /**
   * Counts a prompt for the user and for all users together. If that would exceed a limit, counts nothing and returns
   * whose limit it is. Exact even with several processes.
   */
  async take(userId: string, { perDay, perDayInAll }: PromptLimits): Promise<CountedPrompt | 'person' | 'all'> {
    const client = await awaitDatabase(this.pool.connect());
    let fault: Error | undefined;
    try {
      await client.query('begin');
      const taken = await this.#takeBoth(client, userId, perDay, perDayInAll);
      await client.query(typeof taken === 'string' ? 'rollback' : 'commit');
      return taken;
    } catch (error) {
      fault = error as Error;
      await client.query('rollback').catch(endedWithConnection);
      return await awaitDatabase(Promise.reject(error));
    } finally {
      client.release(fault);
    }
  }

  /** Returns the seconds until the counts start anew at midnight (UTC), at least 1. */
  secondsLeft = (now = Date.now()) => Math.max(1, Math.ceil((86_400_000 - (now % 86_400_000)) / 1_000));

  /** Subtracts a prompt that caused no cost from the counts. */
  async giveBack({ day, userId }: CountedPrompt): Promise<void> {
    await awaitDatabase(
      this.pool.query(
        'update generations set taken = taken - 1 where day = $1 and person = any($2::text[]) and taken > 0',
        [day, [userId, ALL]],
      ),
    );
  }

  /** Deletes the user's own counts. The user's prompts remain in the total. */
  async forget({ userId }: DataSubject): Promise<void> {
    await awaitDatabase(this.pool.query('delete from generations where person = $1', [userId]));
  }

  async #takeBoth(client: PoolClient, userId: string, perDay: number, perDayInAll: number) {
    const mine = await client.query<{ day: string }>(TAKE, [userId, perDay, null]);
    const day = mine.rows[0]?.day;
    if (day === undefined) return 'person';
    const all = await client.query(TAKE, [ALL, perDayInAll, day]);
    return all.rows.length === 0 ? 'all' : { day, userId };
  }
}

export const generationsTable: Table<Generations> = {
  name: 'generations',
  lock: 'stele generations schema',
  schema: SCHEMA,
  cleaning: {
    everyMs: 3_600_000,
    statement: "delete from generations where day < (clock_timestamp() at time zone 'utc')::date - 1",
  },
  access: Generations,
  keepsPersonalData: true,
  open: ({ pool }) => new Generations(pool),
};
