import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  agentOf,
  type ConnectorSite,
  connectorSite,
  invoke,
  type TestAgent,
} from '../../support/connector/connector-site.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

/** Lease duration. It is so long that a lease ends only if a test ends it. */
const LEASE_SECONDS = 60;
/** Maximum wait of a poll, in seconds. The service looks for expired leases every five seconds. */
const LONG_POLL = 30;

describe('Connector agents', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let site: ConnectorSite;
  let one: TestAgent;
  let two: TestAgent;
  beforeAll(async () => {
    temporary = await temporaryFolder('connector-agents');
    const env = { STELE_CONNECTOR_LEASE_SECONDS: String(LEASE_SECONDS), STELE_RATE_LIMITS: 'off' };
    stele = await startStele({ folder: temporary.folder, env });
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });
  beforeEach(async () => {
    site = await connectorSite(stele);
    one = await agentOf(stele, site, 'one');
    two = await agentOf(stele, site, 'two');
  });

  const queue = async (input: unknown, more: object = {}): Promise<string> =>
    (await invoke(stele, site, { input, wait: 0, ...more }).expect(202)).body.id;
  const show = async (id: string) =>
    (await stele.api.get(`/v1/sites/${site.slug}/connector/invocations/${id}`).expect(200)).body;
  const endLease = (id: string, left = '0 seconds') =>
    stele.query(`update connector_work set leased_until = clock_timestamp() + interval '${left}'
      where work_id = '${id}' and state = 'leased'`);
  const types = async (id: string) =>
    (await stele.log()).filter(({ stream }) => stream === `work-${id}`).map(({ type }) => type);

  it('work is delivered by priority, then in order of arrival', async () => {
    for (const [input, priority] of [
      ['a', 0],
      ['b', 0],
      ['c', 10],
      ['d', -10],
      ['e', 0],
    ] as const)
      await queue(input, { priority });
    const order: unknown[] = [];
    for (let n = 0; n < 5; n++) order.push((await (n % 2 ? one : two).poll().expect(200)).body.input);
    expect(order).toEqual(['c', 'a', 'b', 'e', 'd']);
    await one.poll().expect(204);
  });

  it('each new work item wakes one waiting agent', async () => {
    const polls = Array.from({ length: 6 }, (_, n) => (n % 2 ? one : two).poll(20).then(({ body }) => body.input));
    await delay(200);
    for (let n = 0; n < 6; n++) await queue(n);
    expect((await Promise.all(polls)).toSorted()).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('if an agent disappears, another agent takes over its work, and a late result from the first agent is refused', async () => {
    const id = await queue('x');
    expect((await one.poll().expect(200)).body).toMatchObject({ id, attempt: 1 });
    const polling = two.poll(LONG_POLL).then(({ body }) => body);
    await endLease(id);
    expect(await polling).toMatchObject({ id, attempt: 2 });
    expect((await one.answer(id, { output: 'late' }).expect(409)).body.code).toBe('lease_lost');
    expect((await one.answer(id, { output: 'late', partial: true }).expect(409)).body.code).toBe('lease_lost');
    await two.answer(id, { output: 'in time' }).expect(200);
    expect((await one.answer(id, { output: 'late' }).expect(409)).body.code).toBe('lease_lost');
    await two.answer(id, { output: 'in time' }).expect(200);
    expect((await two.answer(id, { output: 'otherwise' }).expect(409)).body.code).toBe('lease_lost');
    expect(await show(id)).toMatchObject({ status: 'succeeded', output: 'in time', attempt: 2 });
    expect(await types(id)).toEqual(['WorkQueued', 'WorkLeased', 'WorkLeased', 'WorkSucceeded']);
  }, 40_000);

  it('a work item is delivered at most three times', async () => {
    const id = await queue('heavy');
    for (const attempt of [1, 2, 3]) {
      expect((await one.poll().expect(200)).body).toMatchObject({ id, attempt });
      await endLease(id);
    }
    while ((await show(id)).status === 'leased') await delay(200);
    expect(await show(id)).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('stopped responding') },
    });
    await one.poll().expect(204);
    expect((await one.answer(id, { output: 1 }).expect(409)).body.code).toBe('lease_lost');
  }, 180_000);

  it('sending partial results renews an agent’s lease on a work item', async () => {
    const id = await queue('long');
    await one.poll().expect(200);
    for (let n = 0; n < 4; n++) {
      await endLease(id, '15 seconds');
      const { body } = await one.answer(id, { partial: true, output: n }).expect(200);
      expect(Date.parse(body.deadline) - Date.now()).toBeGreaterThan(((LEASE_SECONDS + 15) / 2) * 1_000);
    }
    await two.poll().expect(204);
    await one.answer(id, { output: 'done' }).expect(200);
    expect(await show(id)).toMatchObject({ status: 'succeeded', attempt: 1 });
  }, 40_000);

  it('if an agent sends several results concurrently, only one is accepted', async () => {
    const id = await queue('race');
    await one.poll().expect(200);
    const results = Array.from({ length: 8 }, (_, output) => one.answer(id, { output }).then(({ status }) => status));
    const statuses = await Promise.all(results);
    expect(statuses.toSorted()).toEqual([200, ...Array(7).fill(409)]);
    expect((await show(id)).output).toBe(statuses.indexOf(200));
    expect(await types(id)).toEqual(['WorkQueued', 'WorkLeased', 'WorkSucceeded']);
  });

  it('work is not delivered to an agent that has disconnected while polling', async () => {
    const sockets = Array.from({ length: 3 }, () => connect(stele.port, '127.0.0.1'));
    for (const socket of sockets) {
      const { authorization } = one.bearer;
      socket.write(
        `GET /v1/connector/poll?wait=30 HTTP/1.1\r\nhost: localhost:${stele.port}\r\nauthorization: ${authorization}\r\n\r\n`,
      );
    }
    await delay(300);
    for (const socket of sockets) socket.destroy();
    await delay(300);
    // When this later request gets a response, the service has noticed that the connections are closed.
    await two.poll().expect(204);
    const polling = two.poll(20).then(({ body }) => body);
    const id = await queue('who is there?');
    expect(await polling).toMatchObject({ id, attempt: 1 });
  });

  it('callers see only partial results from the current attempt', async () => {
    const streaming = stele.raw
      .post(`/v1/sites/${site.slug}/connector/invoke`)
      .set({ origin: site.origin, accept: 'text/event-stream' })
      .send({ input: 'x' })
      .then(({ text }) => text);
    const { id } = (await one.poll(20).expect(200)).body;
    await one.answer(id, { partial: true, output: 'of the first' }).expect(200);
    await endLease(id);
    expect((await two.poll().expect(200)).body).toMatchObject({ id, attempt: 2 });
    await two.answer(id, { partial: true, output: 'of the second' }).expect(200);
    await two.answer(id, { error: { message: 'No more.' } }).expect(200);
    expect(await streaming).toBe(
      [
        `event: partial\ndata: {"id":"${id}","attempt":1,"output":"of the first"}\n\n`,
        `event: partial\ndata: {"id":"${id}","attempt":2,"output":"of the second"}\n\n`,
        `event: failed\ndata: {"id":"${id}","status":"failed","error":{"message":"No more."}}\n\n`,
      ].join(''),
    );
  }, 40_000);

  it('the owner sees a list of agents with their names and the outcomes of their work', async () => {
    const id = await queue('x');
    await one.poll().expect(200);
    await one.answer(id, { output: 'a secret' }).expect(200);
    const { body } = await stele.api.get(`/v1/sites/${site.slug}/connector/tokens`).set(site.owner).expect(200);
    expect(body.items.map(({ name }: { name: string }) => name)).toEqual(['one', 'two']);
    for (const { lastPolledAt } of body.items) expect(Date.now() - Date.parse(lastPolledAt)).toBeLessThan(30_000);
    expect(JSON.stringify(body)).not.toContain('stele_connector_');
    const { body: listed } = await stele.api
      .get(`/v1/sites/${site.slug}/connector/invocations?limit=1`)
      .set(site.owner)
      .expect(200);
    expect(listed).toMatchObject({ total: 1, items: [{ id, status: 'succeeded', tokenId: one.tokenId, attempt: 1 }] });
    expect(JSON.stringify(listed)).not.toContain('a secret');
    const { body: history } = await stele.api.get(`/v1/sites/${site.slug}/history`).set(site.owner).expect(200);
    expect(history.items[0].summary).toBe('Connector token “two” created');
  });

  it('once the site is deleted, its agents’ tokens and results are refused', async () => {
    const id = await queue('x');
    await stele.api.delete(`/v1/sites/${site.slug}`).set(site.owner).expect(204);
    await one.poll().expect(401);
    await one.answer(id, { output: 1 }).expect(401);
  });
});
