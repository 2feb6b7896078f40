import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { freshDatabase } from '../../../../test/support/database/test-database.js';
import { ConnectorTokenStore, connectorTokensTable } from '../../../accounts/tokens/connector-tokens.js';
import { catalogue, isChained } from '../../../events/catalogue.js';
import { PostgresEngine } from '../../../storage/store/postgres/postgres.engine.js';
import { createTable } from '../../../storage/tables/table.js';
import type { Offer } from '../queue/work.js';
import { WorkResults, workResultsTable } from '../queue/work-results.js';
import { WorkQueue, workQueueTable } from './work-queue.js';

const LEASE_MS = 60_000;
const ATTEMPTS = 3;
const siteId = 'site_1';

const owner = { userId: 'usr_1', memberId: 'mem_1' };

describe('WorkQueue', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let pool: pg.Pool;
  let queue: WorkQueue;
  let answers: WorkResults;
  let tokens: ConnectorTokenStore;
  beforeAll(async () => {
    database = await freshDatabase();
    pool = new pg.Pool(database.config);
    for (const table of [connectorTokensTable, workQueueTable, workResultsTable]) await createTable(pool, table);
    queue = new WorkQueue(pool, new PostgresEngine({ pool, catalogue, isChained, digest: () => '' }));
    answers = new WorkResults(pool);
    tokens = new ConnectorTokenStore(pool);
  });
  beforeEach(async () => {
    await pool.query('truncate connector_tokens, connector_work, connector_parts');
    for (const tokenId of ['ctk_a', 'ctk_b'])
      await tokens.keep(`hash of ${tokenId}`, { tokenId, siteId, name: 'x' }, owner, '2026-11-25T10:00:00.000Z');
    await tokens.keep(
      'hash of ctk_other',
      { tokenId: 'ctk_other', siteId: 'site_2', name: 'x' },
      owner,
      '2026-11-25T10:00:00.000Z',
    );
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const store = (workId: string, priority = 0, of = siteId) =>
    queue.store({ workId, siteId: of, priority, input: `"${workId}"` }, 1_000);
  const put = async (workId: string, priority = 0, of = siteId) => {
    await store(workId, priority, of);
    await queue.show(workId);
  };
  const take = (tokenId = 'ctk_a', leaseMs = LEASE_MS) => queue.take(siteId, tokenId, leaseMs, ATTEMPTS);
  const offer = (workId: string, more: Partial<Offer> = {}) =>
    queue.offer({
      workId,
      siteId,
      tokenId: 'ctk_a',
      attempt: null,
      outcome: 'succeeded',
      output: '1',
      digest: 'one',
      ...more,
    });
  const endLeases = () => pool.query("update connector_work set leased_until = now() - interval '1 second'");
  const statusOf = async (workId: string) => (await answers.find(workId))?.status;

  it('assigns work by priority, then in order of arrival', async () => {
    for (const [workId, priority] of [
      ['w1', 0],
      ['w2', 0],
      ['w3', 5],
      ['w4', -1],
      ['w5', 0],
    ] as const)
      await put(workId, priority);
    const order: (string | undefined)[] = [];
    for (let n = 0; n < 5; n++) order.push((await take())?.workId);
    expect(order).toEqual(['w3', 'w1', 'w2', 'w5', 'w4']);
    expect(await take()).toBeNull();
  });

  it('assigns each attempt to only one agent, even if several poll simultaneously', async () => {
    for (let n = 0; n < 20; n++) await put(`w${n}`);
    const taken = await Promise.all(Array.from({ length: 40 }, (_, n) => take(n % 2 ? 'ctk_a' : 'ctk_b')));
    const ids = taken.flatMap((work) => (work ? [work.workId] : []));
    expect(new Set(ids).size).toBe(ids.length);
    // An agent that skipped a locked row polls again when it is woken.
    for (let more = await take(); more; more = await take()) ids.push(more.workId);
    expect(ids.toSorted()).toEqual(Array.from({ length: 20 }, (_, n) => `w${n}`).toSorted());
  });

  it('does not assign work before it is recorded in the event log', async () => {
    await store('w1');
    expect(await take()).toBeNull();
    expect(await answers.find('w1')).toBeNull();
    await queue.show('w1');
    expect(await take()).toMatchObject({ workId: 'w1', attempt: 1, input: '"w1"' });
  });

  it('assigns no work to agents of other sites or with revoked tokens', async () => {
    await put('w1');
    expect(await queue.take('site_2', 'ctk_other', LEASE_MS, ATTEMPTS)).toBeNull();
    await tokens.remove(siteId, 'ctk_a');
    expect(await take('ctk_a')).toBeNull();
    expect(await take('ctk_b')).toMatchObject({ workId: 'w1' });
  });

  it('reassigns lost work up to three times, before assigning later work', async () => {
    await put('w1');
    for (const attempt of [1, 2, 3]) {
      expect(await take()).toMatchObject({ workId: 'w1', attempt });
      if (attempt === 1) {
        expect(await take()).toBeNull();
        await put('w2');
      }
      await endLeases();
    }
    expect(await take()).toMatchObject({ workId: 'w2' });
    expect(await queue.leftovers.giveUp(ATTEMPTS, { output: '{}', digest: 'd' })).toBe(1);
    expect(await queue.leftovers.find(1_000, LEASE_MS)).toMatchObject([
      { kind: 'offered', workId: 'w1', attempt: 3, outcome: 'gave_up', digest: 'd' },
    ]);
  });

  it('does not count an attempt that no agent received', async () => {
    await put('w1');
    for (const attempt of [1, 2, 3, 4, 5]) {
      expect(await take()).toMatchObject({ attempt });
      expect(await queue.giveBack('w1', attempt)).toBe(true);
      expect(await queue.giveBack('w1', attempt)).toBe(false);
    }
    expect(await take()).toMatchObject({ attempt: 6 });
  });

  it('accepts the first result from the agent that has the work, and accepts the same result again', async () => {
    await put('w1');
    await take('ctk_a');
    expect(await offer('w1', { tokenId: 'ctk_b' })).toEqual({ kind: 'lost' });
    expect(await offer('w1', { siteId: 'site_2' })).toEqual({ kind: 'unknown' });
    expect(await offer('w2')).toEqual({ kind: 'unknown' });
    expect(await offer('w1')).toEqual({ kind: 'taken', attempt: 1 });
    expect(await offer('w1')).toEqual({ kind: 'taken', attempt: 1 });
    expect(await offer('w1', { attempt: 1 })).toEqual({ kind: 'taken', attempt: 1 });
    expect(await offer('w1', { output: '2', digest: 'two' })).toEqual({ kind: 'lost' });
    expect(await offer('w1', { outcome: 'failed' })).toEqual({ kind: 'lost' });
    await queue.settle('w1', 'succeeded');
    expect(await offer('w1')).toEqual({ kind: 'taken', attempt: 1 });
    expect(await answers.find('w1')).toMatchObject({ status: 'succeeded', output: '1' });
  });

  it('accepts only one of several simultaneous results', async () => {
    await put('w1');
    await take();
    const offers = Array.from({ length: 10 }, (_, n) => offer('w1', { output: `${n}`, digest: `${n}` }));
    const kinds = (await Promise.all(offers)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'taken')).toHaveLength(1);
  });

  it('accepts a late result until another agent gets the work', async () => {
    await put('w1');
    await put('w2');
    await take('ctk_a');
    await take('ctk_a');
    await endLeases();
    expect(await offer('w1')).toEqual({ kind: 'taken', attempt: 1 });
    expect(await take('ctk_b')).toMatchObject({ workId: 'w2', attempt: 2 });
    expect(await offer('w2')).toEqual({ kind: 'lost' });
  });

  it('distinguishes late results sent with the same token by their attempt number', async () => {
    await put('w1');
    await take();
    await endLeases();
    await take();
    expect(await offer('w1', { attempt: 1 })).toEqual({ kind: 'lost' });
    expect(await offer('w1', { attempt: 2 })).toEqual({ kind: 'taken', attempt: 2 });
  });

  it('enforces the limit on waiting invocations exactly, even for simultaneous calls', async () => {
    const most = 250;
    const stored = await Promise.all(
      Array.from({ length: 300 }, (_, n) => queue.store({ workId: `w${n}`, siteId, priority: 0, input: '1' }, most)),
    );
    expect(stored.filter((each) => each === 'stored')).toHaveLength(most);
    expect(await queue.store({ workId: 'w', siteId: 'site_2', priority: 0, input: '1' }, most)).toBe('stored');
    const [known] = stored.flatMap((each, n) => (each === 'stored' ? [`w${n}`] : []));
    expect(await queue.store({ workId: known ?? '', siteId, priority: 0, input: '1' }, most)).toBe('stored');
    await queue.show(known ?? '');
    await take();
    expect(await queue.store({ workId: 'one more', siteId, priority: 0, input: '1' }, most)).toBe('stored');
  });

  it('stores partial results in order, renews the lease with each, and limits their number and size', async () => {
    const most = { parts: 3, bytes: 20 };
    await put('w1');
    await take('ctk_a', 1_000);
    const add = (output: string, more = {}) =>
      answers.add({ workId: 'w1', siteId, tokenId: 'ctk_a', attempt: null, output, ...more }, LEASE_MS, most);
    const first = await add('"a"');
    expect(first).toMatchObject({ kind: 'added', attempt: 1 });
    if (first.kind === 'added') expect(first.until.getTime()).toBeGreaterThan(Date.now() + LEASE_MS / 2);
    expect(await add('"b"')).toMatchObject({ kind: 'added' });
    expect(await answers.partsAfter('w1', { attempt: 0, n: 0 })).toEqual([
      { attempt: 1, n: 1, output: '"a"' },
      { attempt: 1, n: 2, output: '"b"' },
    ]);
    expect(await answers.partsAfter('w1', { attempt: 1, n: 1 })).toHaveLength(1);
    expect(await add(`"${'x'.repeat(20)}"`)).toEqual({ kind: 'full' });
    expect(await add('"c"')).toMatchObject({ kind: 'added' });
    expect(await add('"d"')).toEqual({ kind: 'full' });
    expect(await add('"e"', { tokenId: 'ctk_b' })).toEqual({ kind: 'lost' });
    expect(await add('"e"', { workId: 'w9' })).toEqual({ kind: 'unknown' });
    await endLeases();
    await take('ctk_b');
    expect(await add('"late"')).toEqual({ kind: 'lost' });
    await offer('w1', { tokenId: 'ctk_b' });
    expect(await add('"late"', { tokenId: 'ctk_b' })).toEqual({ kind: 'lost' });
  });

  it('erases the input and output of work one day after it has ended, and not earlier', async () => {
    await put('w1');
    await put('w2');
    await take();
    await answers.add({ workId: 'w1', siteId, tokenId: 'ctk_a', attempt: null, output: '"part"' }, LEASE_MS, {
      parts: 9,
      bytes: 99,
    });
    await offer('w1');
    await queue.settle('w1', 'succeeded');
    const kept = async () =>
      (await pool.query('select work_id, input, output from connector_work order by work_id')).rows;
    const day = 86_400_000;
    await pool.query("update connector_work set over_at = over_at - interval '23 hours 59 minutes'");
    await queue.leftovers.erase(day);
    expect(await kept()).toEqual([
      { work_id: 'w1', input: '"w1"', output: '1' },
      { work_id: 'w2', input: '"w2"', output: null },
    ]);
    await pool.query("update connector_work set over_at = over_at - interval '1 minute'");
    await queue.leftovers.erase(day);
    expect(await kept()).toEqual([
      { work_id: 'w1', input: null, output: null },
      { work_id: 'w2', input: '"w2"', output: null },
    ]);
    expect(await answers.partsAfter('w1', { attempt: 0, n: 0 })).toEqual([]);
    expect(await statusOf('w1')).toBe('succeeded');
  });

  it('reports whether an agent has polled recently or has work', async () => {
    expect(await tokens.isAttended(siteId, 60_000)).toBe(false);
    await tokens.polled('ctk_a');
    expect(await tokens.isAttended(siteId, 60_000)).toBe(true);
    expect(await tokens.isAttended('site_2', 60_000)).toBe(false);
    await pool.query("update connector_tokens set polled_at = now() - interval '61 seconds'");
    expect(await tokens.isAttended(siteId, 60_000)).toBe(false);
    await put('w1');
    await take();
    expect(await tokens.isAttended(siteId, 60_000)).toBe(true);
    await endLeases();
    expect(await tokens.isAttended(siteId, 60_000)).toBe(false);
  });
});
