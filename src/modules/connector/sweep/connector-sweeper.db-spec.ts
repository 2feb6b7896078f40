import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { CommandBus } from '@nestjs/cqrs';
import { Pool } from 'pg';
import { freshDatabase } from '../../../../test/support/database/test-database.js';
import { commandBus } from '../../../../test/support/eventstore/command-bus.js';
import { MemorySnapshots, MemoryStore } from '../../../../test/support/eventstore/memory-store.js';
import { ConnectorTokenStore, connectorTokensTable } from '../../../accounts/tokens/connector-tokens.js';
import { RandomIds } from '../../../adapters/random-ids.js';
import { workStream } from '../../../events/work.events.js';
import { bySystem } from '../../../kernel/command-context.js';
import { WakeUps } from '../../../kernel/ports/wake-ups.js';
import { Transactions } from '../../../kernel/transactions.js';
import { createTable } from '../../../storage/tables/table.js';
import type { SiteLookup } from '../../serving/api/site-lookup.js';
import type { SiteAccess, SiteView } from '../../sites/api/site-access.js';
import { WorkQueue, workQueueTable } from '../api/work-queue.js';
import { AtOnce } from '../at-once.js';
import { InvocationStarter } from '../invoke/invocation-starter.js';
import { parsePayload } from '../payload.js';
import { NextWork } from '../poll/next-work.js';
import { SeenAgents } from '../poll/seen-agents.js';
import { WorkDispatcher } from '../poll/work-dispatcher.js';
import { WorkResults, workResultsTable } from '../queue/work-results.js';
import { WorkSettlement } from '../result/work-settlement.js';
import { WaitingAgents } from '../waiting/waiting-agents.js';
import { CallerRegistry } from '../waiting/waiting-callers.js';
import { AddWork, ExpireWork, FinishWork, LeaseWork } from '../work-command.js';
import { ConnectorSweeper } from './connector-sweeper.js';

const siteId = 'site_1';
const agent = { tokenId: 'ctk_a', siteId, name: 'agent' };
const input = parsePayload({ n: 1 }, 'input');
const output = parsePayload({ n: 2 }, 'output');
const now = () => bySystem(new Date().toISOString());

class HeardWakeUps extends WakeUps {
  readonly heard: string[] = [];
  override listen = () => undefined;
  override tell = (subject: string, key: string) => void this.heard.push(`${subject} ${key}`);
}

describe('Work that was interrupted by a crash', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let pool: Pool;
  let queue: WorkQueue;
  let answers: WorkResults;
  let store: MemoryStore;
  let commands: CommandBus;
  let wakeUps: HeardWakeUps;
  let leasing: WorkDispatcher;
  let invoking: InvocationStarter;
  let sweeping: ConnectorSweeper;
  let isThere: boolean;
  beforeAll(async () => {
    database = await freshDatabase();
    pool = new Pool(database.config);
    for (const table of [connectorTokensTable, workQueueTable, workResultsTable]) await createTable(pool, table);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  beforeEach(async () => {
    await pool.query('truncate connector_tokens, connector_work, connector_parts');
    isThere = true;
    queue = new WorkQueue(pool, null);
    answers = new WorkResults(pool);
    store = new MemoryStore();
    wakeUps = new HeardWakeUps();
    const tokens = new ConnectorTokenStore(pool);
    await tokens.keep('hash', agent, { userId: 'usr_1', memberId: 'mem_1' }, '2026-11-25T10:00:00.000Z');
    const transactions = new Transactions(store, new MemorySnapshots(), new RandomIds());
    commands = await commandBus(transactions);
    const settling = new WorkSettlement(transactions, queue, wakeUps, new CallerRegistry(wakeUps));
    const settings = { leaseMs: 60_000 };
    const sites: Partial<SiteAccess> = { find: async () => (isThere ? ({} as SiteView) : null) };
    const atOnce = new AtOnce(queue, new RandomIds(), settings);
    leasing = new WorkDispatcher(atOnce, commands, queue, settling, wakeUps, settings);
    const agents = new WaitingAgents(wakeUps);
    const seen = new SeenAgents(tokens, wakeUps);
    const next = new NextWork(leasing);
    invoking = new InvocationStarter(atOnce, commands, queue, tokens, {} as SiteLookup, agents, seen, next, wakeUps);
    const rows = { find: async () => [] };
    sweeping = new ConnectorSweeper(commands, queue, tokens, sites as SiteAccess, settling, wakeUps, settings, rows);
  });

  const workId = 'wrk_1';
  const keep = () => queue.store({ workId, siteId, priority: 0, input: input.text }, 1_000);
  const record = () =>
    commands.execute(
      new AddWork({ context: now(), workId, siteId, input: { digest: input.digest, size: input.size }, priority: 0 }),
    );
  const put = () => invoking.put({ workId, siteId, input, priority: 0 }, { at: now().at, caller: nobody });
  const offer = (attempt: number) =>
    queue.offer({ ...agent, workId, attempt, outcome: 'succeeded', output: output.text, digest: output.digest });
  const finish = (attempt: number) => {
    const result = { digest: output.digest, size: output.size };
    const { tokenId } = agent;
    return commands.execute(new FinishWork({ context: now(), workId, attempt, tokenId, outcome: 'succeeded', result }));
  };
  const types = async () => (await store.read(workStream(workId))).events.map(({ type }) => type);
  const sweep = () => sweeping.sweep(0);

  it('work is removed if it was stored but is not in the log', async () => {
    await keep();
    await sweep();
    expect((await pool.query('select from connector_work')).rowCount).toBe(0);
    expect(await types()).toEqual([]);
  });

  it('work that was stored just now is kept even if it is not in the log yet', async () => {
    await keep();
    await sweeping.sweep(60_000);
    await record();
    await queue.show(workId);
    expect(await leasing.take(agent)).toMatchObject({ workId });
  });

  it('work that is in the log but was not visible to agents becomes available to them', async () => {
    await keep();
    await record();
    expect(await leasing.take(agent)).toBeNull();
    await sweep();
    expect(wakeUps.heard).toContain(`work-queued ${siteId}`);
    expect(await leasing.take(agent)).toMatchObject({ workId, attempt: 1, input: '{"n":1}' });
  });

  it('work that was interrupted by a crash becomes available to agents if its caller sends it again', async () => {
    await keep();
    await record();
    await put();
    expect(await leasing.take(agent)).toMatchObject({ workId });
    expect(await types()).toEqual(['WorkQueued', 'WorkLeased']);
  });

  it('work is assigned again if its lease is in the queue but not in the log', async () => {
    await put();
    await queue.take(siteId, agent.tokenId, 0, 3);
    expect(await leasing.take(agent)).toMatchObject({ workId, attempt: 2 });
    expect(await types()).toEqual(['WorkQueued', 'WorkLeased']);
  });

  it('work completes with its stored result even if the log does not contain it', async () => {
    await put();
    await leasing.take(agent);
    await offer(1);
    expect(await answers.find(workId)).toMatchObject({ status: 'leased', output: null });
    await sweep();
    expect(await answers.find(workId)).toMatchObject({ status: 'succeeded', output: '{"n":2}' });
    expect(await types()).toEqual(['WorkQueued', 'WorkLeased', 'WorkSucceeded']);
    expect(wakeUps.heard).toContain(`work-answered ${workId}`);
  });

  it('work completes with its result, and is not assigned again, if the result is only in the log', async () => {
    await put();
    await leasing.take(agent);
    await offer(1);
    await finish(1);
    await pool.query("update connector_work set leased_until = now() - interval '1 hour'");
    expect(await leasing.take(agent)).toBeNull();
    await sweep();
    expect(await answers.find(workId)).toMatchObject({ status: 'succeeded', output: '{"n":2}' });
    expect(await types()).toEqual(['WorkQueued', 'WorkLeased', 'WorkSucceeded']);
  });

  it('work is marked as ended in the queue if it has ended in the log', async () => {
    await put();
    await leasing.take(agent);
    await commands.execute(new ExpireWork({ context: now(), workId, reason: 'time' }));
    await pool.query("update connector_work set state = 'queued', leased_until = null");
    expect(await leasing.take(agent)).toBeNull();
    expect(await answers.find(workId)).toMatchObject({ status: 'expired' });
  });

  it('work fails after three agents have stopped responding, and the error message says so', async () => {
    await put();
    for (const attempt of [1, 2, 3]) {
      expect(await leasing.take(agent)).toMatchObject({ attempt });
      await pool.query("update connector_work set leased_until = now() - interval '1 second'");
    }
    expect(await leasing.take(agent)).toBeNull();
    await sweep();
    const message = 'The agent stopped responding in each of 3 attempts.';
    expect(await answers.find(workId)).toMatchObject({ status: 'failed', output: JSON.stringify({ message }) });
    expect((await types()).at(-1)).toBe('WorkFailed');
  });

  it('work expires if no agent has taken it for a day', async () => {
    await put();
    await pool.query("update connector_work set queued_at = now() - interval '23 hours 59 minutes'");
    await sweep();
    expect(await answers.find(workId)).toMatchObject({ status: 'queued' });
    await pool.query("update connector_work set queued_at = now() - interval '24 hours'");
    await sweep();
    expect(await answers.find(workId)).toMatchObject({ status: 'expired' });
    expect(await types()).toEqual(['WorkQueued', 'WorkExpired']);
  });

  it('work expires with its site, and its input and tokens are deleted', async () => {
    await put();
    await sweeping.sweepSites();
    expect(await answers.find(workId)).toMatchObject({ status: 'queued' });
    isThere = false;
    await sweeping.sweepSites();
    expect(await answers.find(workId)).toMatchObject({ status: 'expired' });
    expect((await pool.query('select input from connector_work')).rows).toEqual([{ input: null }]);
    expect((await pool.query('select from connector_tokens')).rowCount).toBe(0);
  });

  it('work is not assigned to an agent if the event log refuses the lease', async () => {
    await put();
    const until = new Date().toISOString();
    const lease = { attempt: 1, tokenId: 'ctk_b', agent: 'other', until };
    await commands.execute(new LeaseWork({ context: now(), workId, ...lease }));
    expect(await leasing.take(agent)).toMatchObject({ attempt: 2 });
  });
});

const nobody = { userId: null, editTokenHash: null };
