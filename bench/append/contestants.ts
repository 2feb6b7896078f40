import { hash, randomUUID } from 'node:crypto';
import { getPostgreSQLEventStore } from '@event-driven-io/emmett-postgresql';
import { z } from 'zod';
import type { EventStore } from '../../src/kernel/event-store.js';
import { pg, product } from '../product.ts';

const { PostgresEngine } = await product('storage/store/postgres/postgres.engine.js');
const { Catalogue, eventType } = await product('events/event-type.js');
const { emptyStream } = await product('kernel/event-store.js');

/** A competitor in the benchmark. `appender` returns a function that appends one event to a stream of its own. */
export type Contestant<Answer> = { appender: () => () => Promise<Answer>; close: () => Promise<unknown> };

/** A contestant whose log can be followed. Its appenders return the positions of their events. */
export type FollowedContestant = Contestant<bigint> & { store: EventStore };

/**
 * Number of database connections of each contestant that can use several. More connections did not increase the
 * throughput of the machine described in docs/performance.md.
 */
const CONNECTIONS = 16;

/** Event data of about 200 bytes. */
const data = (number: number) => ({
  deployId: `dep_${randomUUID()}`,
  number,
  manifest: 'a'.repeat(64),
  message: 'A message of some words',
  replaced: null,
});

const SiteDeployed = eventType(
  'SiteDeployed',
  z.object({
    deployId: z.string(),
    number: z.number(),
    manifest: z.string(),
    message: z.string(),
    replaced: z.string().nullable(),
  }),
  { example: data(1) },
);

/** Appends with the product, including all steps: validation, canonical text, hash chain, check of the head, NOTIFY. */
async function stele(connectionString: string): Promise<FollowedContestant> {
  const pool = new pg.Pool({ connectionString, max: CONNECTIONS });
  const catalogue = new Catalogue([SiteDeployed]);
  const store = new PostgresEngine({
    pool,
    catalogue,
    isChained: () => true,
    digest: (text: string) => hash('sha256', text),
  });
  await store.start();
  return {
    store,
    appender() {
      const stream = `site-${randomUUID()}`;
      let head = emptyStream;
      return async () => {
        const appended = await store.append(stream, head, [
          {
            ...SiteDeployed(data(head.revision + 1)),
            id: `evt_${randomUUID()}`,
            at: new Date().toISOString(),
            actor: { kind: 'user', id: 'usr_1' },
          },
        ]);
        if (appended === 'conflict') throw new Error('An append conflicted although nothing else was writing.');
        head = appended.head;
        return appended.position;
      };
    },
    async close() {
      await store.stop();
      await pool.end();
    },
  };
}

/** Appends the same data with emmett as its documentation shows, with a check of the expected version. */
async function emmett(connectionString: string): Promise<Contestant<void>> {
  const store = getPostgreSQLEventStore(connectionString);
  await store.schema.migrate();
  return {
    appender() {
      const stream = `site-${randomUUID()}`;
      let version: bigint | undefined;
      return async () => {
        const event = {
          type: 'SiteDeployed',
          data: data(Number(version ?? 0n) + 1),
          metadata: { at: new Date().toISOString(), actor: 'usr_1' },
        };
        const appended = await store.appendToStream(stream, [event], {
          expectedStreamVersion: version ?? 'STREAM_DOES_NOT_EXIST',
        });
        version = appended.nextExpectedStreamVersion;
      };
    },
    close: () => store.close(),
  };
}

/**
 * The cheapest append that checks the expected version: one INSERT of the same row into the same table, without
 * hashing, NOTIFY or lock. A lower position can become visible after a higher one, so readers of `position > last`
 * would miss events.
 */
async function insert(connectionString: string): Promise<Contestant<void>> {
  const pool = new pg.Pool({ connectionString, max: CONNECTIONS });
  const { SCHEMA } = await product('storage/store/postgres/postgres.schema.js');
  await pool.query(SCHEMA);
  const hashes = 'b'.repeat(64);
  const statement = {
    name: 'insert',
    text: `
      insert into events (stream, revision, id, type, schema, at, actor, data, hash, previous_hash)
      select $1, $2 + 1, $3, $4, $5, $6, $7, $8, $9, $10
      where $2 = (select coalesce(max(revision), 0) from events where stream = $1)
      returning position`,
  };
  return {
    appender() {
      const stream = `site-${randomUUID()}`;
      let revision = 0;
      return async () => {
        const { rowCount } = await pool.query({
          ...statement,
          values: [
            stream,
            revision,
            `evt_${randomUUID()}`,
            'SiteDeployed',
            1,
            new Date().toISOString(),
            '{"id":"usr_1","kind":"user"}',
            JSON.stringify(data(revision + 1)),
            hashes,
            revision === 0 ? null : hashes,
          ],
        });
        if (rowCount !== 1) throw new Error('An append conflicted although nothing else was writing.');
        revision += 1;
      };
    },
    close: () => pool.end(),
  };
}

export const contestants = { stele, emmett, insert };
