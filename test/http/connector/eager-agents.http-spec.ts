import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { agentOf, type ConnectorSite, connectorSite, invoke } from '../../support/connector/connector-site.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

/** Number of consecutive immediate polls, more than the service requires before it reserves work for an agent. */
const IMMEDIATE_POLLS = 12;

describe('A connector agent that requests its next work item with each result', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let site: ConnectorSite;
  beforeAll(async () => {
    temporary = await temporaryFolder('connector-eager');
    stele = await startStele({ folder: temporary.folder, env: { STELE_RATE_LIMITS: 'off' } });
    site = await connectorSite(stele);
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  const show = async (id: string) =>
    (await stele.api.get(`/v1/sites/${site.slug}/connector/invocations/${id}`).expect(200)).body;
  const types = async (id: string) =>
    (await stele.log()).filter(({ stream }) => stream === `work-${id}`).map(({ type }) => type);

  it('if an agent stops polling after sending a result, its next work item is given to another agent', async () => {
    const one = await agentOf(stele, site, 'one');
    const two = await agentOf(stele, site, 'two');
    const ids: string[] = [];
    for (let n = 0; n < 100; n++)
      ids.push((await invoke(stele, site, { input: n, wait: 0 }).expect(202)).body.id as string);
    const done = new Set<string>();
    const poll = async () => (await one.poll().expect(200)).body as { id: string; input: number };
    const answer = async ({ id, input }: { id: string; input: number }) => {
      expect(id).toBe(ids[input]);
      await one.answer(id, { output: input }).expect(200);
      done.add(id);
    };
    /** Returns the first item that was reserved for the agent and has not been delivered. */
    const reserved = async () => {
      const log = await stele.log();
      const isReserved = (id: string) => {
        const types = log.filter(({ stream }) => stream === `work-${id}`).map(({ type }) => type);
        return !done.has(id) && /^WorkQueued,WorkLeased(,WorkReturned)?$/.test(types.join());
      };
      return ids.find(isReserved) ?? null;
    };
    let kept: string | null = null;
    while (kept === null) {
      for (let n = 0; n < IMMEDIATE_POLLS; n++) await answer(await poll());
      // An item is reserved only for an agent that responds quickly, and its lease is recorded with that agent's result.
      // On a slow machine, the test therefore needs several attempts.
      kept = await reserved();
    }
    // The service returns the item to the queue even if no other agent polls.
    while ((await show(kept)).status === 'leased') await delay(10);
    expect(await types(kept)).toEqual(['WorkQueued', 'WorkLeased', 'WorkReturned']);
    let given = (await two.poll().expect(200)).body;
    for (; given.id !== kept; given = (await two.poll().expect(200)).body)
      await two.answer(given.id, { output: null }).expect(200);
    expect(given.input).toBe(ids.indexOf(kept));
    await two.answer(kept, { output: 'done' }).expect(200);
    expect(await show(kept)).toMatchObject({ status: 'succeeded', output: 'done' });
  }, 40_000);
});
