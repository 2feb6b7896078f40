import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { freshDatabase } from '../../../../test/support/database/test-database.js';
import { ConnectorTokenStore, connectorTokensTable } from '../../../accounts/tokens/connector-tokens.js';
import { catalogue, isChained } from '../../../events/catalogue.js';
import { WorkExpired, WorkLeased, WorkQueued, WorkSucceeded, workStream } from '../../../events/work.events.js';
import type { DomainEvent } from '../../../kernel/decider.js';
import { emptyStream, type NewEvent } from '../../../kernel/event-store.js';
import { PostgresEngine } from '../../../storage/store/postgres/postgres.engine.js';
import { createTable } from '../../../storage/tables/table.js';
import { WorkQueue, workQueueTable } from '../api/work-queue.js';

const siteId = 'site_1';
const tokenId = 'ctk_a';
const payload = { digest: 'a'.repeat(64), size: 3 };
const until = '2026-11-24T12:01:00.000Z';

let ids = 0;
const recorded = (event: DomainEvent): NewEvent => ({
  ...event,
  id: `evt_${++ids}`,
  at: '2026-11-24T12:00:00.000Z',
  actor: { kind: 'system' },
});
const queued = () => recorded(WorkQueued({ siteId, input: payload, priority: 0 }));
const leased = () => recorded(WorkLeased({ attempt: 1, tokenId, agent: 'an agent', until }));
const succeeded = () => recorded(WorkSucceeded({ attempt: 1, tokenId, output: payload }));

describe('Changing the work queue and the event log together', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let pool: pg.Pool;
  let store: PostgresEngine;
  let queue: WorkQueue;
  beforeAll(async () => {
    database = await freshDatabase();
    pool = new pg.Pool(database.config);
    store = new PostgresEngine({ pool, catalogue, isChained, digest: () => '' });
    await store.start();
    for (const table of [connectorTokensTable, workQueueTable]) await createTable(pool, table);
    queue = new WorkQueue(pool, store);
  });
  afterAll(async () => {
    await queue?.closeConnections();
    await store?.stop();
    await pool?.end();
    await database?.drop();
  });
  beforeEach(async () => {
    await pool.query('truncate connector_tokens, connector_work, events');
    await new ConnectorTokenStore(pool).keep(
      'hash',
      { tokenId, siteId, name: 'an agent' },
      { userId: 'usr_1', memberId: 'mem_1' },
      '2026-11-25T10:00:00.000Z',
    );
  });

  const put = (workId: string, most = 1_000, events = queued()) =>
    queue.withEvents.put({ workId, siteId, priority: 0, input: '1' }, most, events);
  const take = (events = leased()) => queue.withEvents.take(siteId, tokenId, 60_000, 3, events);
  const finish = (workId: string, of = tokenId) =>
    queue.withEvents.finish(
      { workId, siteId, tokenId: of, outcome: 'succeeded', output: '2', digest: payload.digest },
      succeeded(),
    );
  const finishAndTake = (workId: string, of = tokenId) =>
    queue.withEvents.finishAndTake(
      { workId, siteId, tokenId: of, outcome: 'succeeded', output: '2', digest: payload.digest },
      succeeded(),
      60_000,
      3,
      leased(),
    );
  const rowOf = async (workId: string) =>
    (await pool.query('select state, attempt, outcome, output from connector_work where work_id = $1', [workId]))
      .rows[0];
  const typesOf = async (workId: string) =>
    (await store.read(workStream(workId))).events.map(({ type, revision }) => `${revision} ${type}`);
  const goOn = async (workId: string) => {
    const { head } = await store.read(workStream(workId));
    await store.append(workStream(workId), head, [recorded(WorkExpired({ reason: 'time' }))]);
  };

  it('queueing, assigning and finishing work each change the queue and the event log together', async () => {
    expect(await put('wrk_1')).toBe(true);
    expect(await rowOf('wrk_1')).toMatchObject({ state: 'queued' });
    expect(await take()).toMatchObject({ workId: 'wrk_1', input: '1', attempt: 1, until: expect.any(Date) });
    expect(await rowOf('wrk_1')).toMatchObject({ state: 'leased', attempt: 1 });
    expect(await finish('wrk_1')).toBe(true);
    expect(await rowOf('wrk_1')).toMatchObject({ state: 'over', outcome: 'succeeded', output: '2' });
    expect(await typesOf('wrk_1')).toEqual(['1 WorkQueued', '2 WorkLeased', '3 WorkSucceeded']);
    expect((await store.page(workStream('wrk_1'), 1, 1))[0]).toMatchObject({
      actor: { kind: 'system' },
      data: { attempt: 1, tokenId, agent: 'an agent', until },
      hash: null,
    });
  });

  it('each event of work is read from the log exactly once, even if events are written concurrently', async () => {
    const seen: string[] = [];
    const end = new AbortController();
    const reading = (async () => {
      for await (const page of store.follow(0n, end.signal)) {
        for (const { stream } of page) seen.push(stream);
        if (seen.length === 60) end.abort();
      }
    })();
    await Promise.all(
      Array.from({ length: 30 }, async (_, n) => {
        await put(`wrk_${n}`);
        await store.append(workStream(`other_${n}`), emptyStream, [queued()]);
      }),
    );
    await reading;
    expect(new Set(seen).size).toBe(60);
  });

  it('work is not queued if it already exists or too much work is waiting', async () => {
    await put('wrk_1');
    expect(await put('wrk_1')).toBe(false);
    expect(await put('wrk_2', 201)).toBe(false);
    expect(await rowOf('wrk_2')).toBeUndefined();
    expect(await typesOf('wrk_1')).toEqual(['1 WorkQueued']);
    expect(await typesOf('wrk_2')).toEqual([]);
  });

  it('the queue is not changed if the event log is ahead of it', async () => {
    await goOn('wrk_1');
    expect(await put('wrk_1')).toBe(false);
    expect(await rowOf('wrk_1')).toBeUndefined();

    await put('wrk_2');
    await goOn('wrk_2');
    expect(await take()).toBeUndefined();
    expect(await rowOf('wrk_2')).toMatchObject({ state: 'queued', attempt: 0 });

    await put('wrk_3');
    await pool.query("delete from connector_work where work_id = 'wrk_2'");
    await take();
    await goOn('wrk_3');
    expect(await finish('wrk_3')).toBe(false);
    expect(await rowOf('wrk_3')).toMatchObject({ state: 'leased', output: null });
  });

  it('concurrent changes to different items of work do not affect each other', async () => {
    await goOn('wrk_5');
    const done = await Promise.all(Array.from({ length: 10 }, (_, n) => put(`wrk_${n}`)));
    expect(done).toEqual(Array.from({ length: 10 }, (_, n) => n !== 5));
    expect((await pool.query('select from connector_work')).rowCount).toBe(9);
    const takes = await Promise.all(Array.from({ length: 12 }, () => take()));
    expect(new Set(takes.map((work) => work?.workId)).size).toBe(10);
    expect(takes.filter((work) => work === null)).toHaveLength(3);
  });

  it('assigning work again records no event', async () => {
    await put('wrk_1');
    await take();
    await pool.query("update connector_work set leased_until = now() - interval '1 second'");
    expect(await take()).toMatchObject({ workId: 'wrk_1', attempt: 2 });
    expect(await typesOf('wrk_1')).toEqual(['1 WorkQueued', '2 WorkLeased']);
    expect(await finish('wrk_1')).toBe(false);
  });

  it('a revoked token can neither take nor finish work, and no token can finish work that another token has', async () => {
    await put('wrk_1');
    await take();
    expect(await finish('wrk_1', 'ctk_b')).toBe(false);
    await pool.query('truncate connector_tokens');
    expect(await finish('wrk_1')).toBe(false);
    await put('wrk_2');
    expect(await take()).toBeNull();
    expect(await rowOf('wrk_2')).toMatchObject({ state: 'queued' });
  });

  it('finishing work and assigning the next work either both happen or neither does', async () => {
    for (const workId of ['wrk_1', 'wrk_2', 'wrk_3']) await put(workId);
    await take();
    expect(await finishAndTake('wrk_1')).toMatchObject({ workId: 'wrk_2', attempt: 1, until: expect.any(Date) });
    expect(await rowOf('wrk_1')).toMatchObject({ state: 'over', outcome: 'succeeded', output: '2' });
    expect(await rowOf('wrk_2')).toMatchObject({ state: 'leased', attempt: 1 });
    expect(await typesOf('wrk_1')).toEqual(['1 WorkQueued', '2 WorkLeased', '3 WorkSucceeded']);
    expect(await typesOf('wrk_2')).toEqual(['1 WorkQueued', '2 WorkLeased']);

    // If the result of finished work is refused, the agent gets no new work.
    expect(await finishAndTake('wrk_1')).toBeUndefined();
    expect(await finishAndTake('wrk_2', 'ctk_b')).toBeUndefined();
    expect(await rowOf('wrk_3')).toMatchObject({ state: 'queued' });

    // For `wrk_3`, the log contains an event that the queue does not know about.
    await goOn('wrk_3');
    expect(await finishAndTake('wrk_2')).toBeUndefined();
    expect(await rowOf('wrk_2')).toMatchObject({ state: 'leased', output: null });
    expect(await typesOf('wrk_2')).toEqual(['1 WorkQueued', '2 WorkLeased']);
    await pool.query("delete from connector_work where work_id = 'wrk_3'");
    expect(await finishAndTake('wrk_2')).toBeNull();
    expect(await rowOf('wrk_2')).toMatchObject({ state: 'over' });
  });

  it('an agent that finishes work gets no further work while lost work is first in the queue', async () => {
    for (const workId of ['wrk_1', 'wrk_2', 'wrk_3']) await put(workId);
    await take();
    await take();
    await pool.query("update connector_work set leased_until = now() - interval '1 second' where work_id = 'wrk_1'");
    expect(await finishAndTake('wrk_2')).toBeNull();
    expect(await rowOf('wrk_2')).toMatchObject({ state: 'over' });
    expect(await rowOf('wrk_1')).toMatchObject({ state: 'leased', attempt: 1 });
    expect(await rowOf('wrk_3')).toMatchObject({ state: 'queued' });
    expect(await take()).toMatchObject({ workId: 'wrk_1', attempt: 2 });
  });

  it('the queue and the event log are not changed together if the log is in another database', async () => {
    const elsewhere = new WorkQueue(pool, null);
    const work = { workId: 'wrk_1', siteId, priority: 0, input: '1' };
    expect(await elsewhere.withEvents.put(work, 1_000, queued())).toBe(false);
    expect(await elsewhere.withEvents.take(siteId, tokenId, 60_000, 3, leased())).toBeUndefined();
    expect(await rowOf('wrk_1')).toBeUndefined();
  });
});
