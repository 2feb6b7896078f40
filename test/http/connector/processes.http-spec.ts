import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { agentOf, type ConnectorSite, connectorSite } from '../../support/connector/connector-site.js';
import { databaseUrl } from '../../support/database/database-url.js';
import { freshDatabase } from '../../support/database/test-database.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

describe('The connector on two processes', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let one: Stele;
  let two: Stele;
  let site: ConnectorSite;
  beforeAll(async () => {
    temporary = await temporaryFolder('connector-two');
    database = await freshDatabase();
    const env = { DATABASE_URL: databaseUrl(database.config) };
    [one, two] = await Promise.all([
      startStele({ folder: temporary.folder, env }),
      startStele({ folder: temporary.folder, env }),
    ]);
    site = await connectorSite(one);
  }, 180_000);
  afterAll(async () => {
    await Promise.all([one?.stop(), two?.stop()]);
    await database?.drop();
    await temporary.remove();
  });

  /** Calls as the owner, because the origin of the site's pages differs between the processes. */
  const invokeAt = (stele: Stele, body: object) =>
    stele.api.post(`/v1/sites/${site.slug}/connector/invoke`).set(site.owner).send(body);

  it('work queued on one process wakes an agent on the other process, and the result wakes the caller', async () => {
    const agent = await agentOf(one, site);
    const took: number[] = [];
    for (let n = 0; n < 10; n++) {
      const polling = agent.poll(20).then(({ body }) => body);
      await delay(100);
      const begunAt = performance.now();
      const answered = invokeAt(two, { input: n })
        .expect(200)
        .then(({ body }) => body);
      const { id, input } = await polling;
      expect(input).toBe(n);
      const partly = await agent.answer(id, { partial: true, output: 'soon' }).expect(200);
      expect(partly.body.status).toBe('leased');
      await agent.answer(id, { output: n * n }).expect(200);
      expect(await answered).toEqual({ id, status: 'succeeded', output: n * n });
      took.push(performance.now() - begunAt);
    }
    // Without notifications, agents would wait for the sweep, which wakes them only for work that is ten seconds old.
    expect(took.filter((ms) => ms > 5_000).length).toBeLessThan(took.length / 2);
  }, 120_000);

  it('a token revoked on one process is refused by the other process', async () => {
    const agent = await agentOf(one, site, 'to be revoked');
    const polling = agent.poll(30).then(({ status }) => status);
    await delay(200);
    await two.api.delete(`/v1/sites/${site.slug}/connector/tokens/${agent.tokenId}`).set(site.owner).expect(204);
    expect([204, 401]).toContain(await polling);
    const another = await agentOf(two, site, 'another');
    await invokeAt(two, { input: 1, wait: 0 }).expect(202);
    expect((await agent.poll(0)).status).not.toBe(200);
    const { body: work } = await another.poll().expect(200);
    await another.answer(work.id, { output: 1 }).expect(200);
  }, 40_000);

  it('work continues when the agent’s process is killed', async () => {
    const there = await agentOf(two, site, 'over there');
    const agent = await agentOf(one, site, 'here');
    const { body: queued } = await invokeAt(two, { input: 'x', wait: 0 }).expect(202);
    expect((await agent.poll().expect(200)).body).toMatchObject({ id: queued.id, attempt: 1 });
    await one.stop('SIGKILL');
    const polling = there.poll(30).then(({ body }) => body);
    await two.query(`update connector_work set leased_until = clock_timestamp() where work_id = '${queued.id}'`);
    expect(await polling).toMatchObject({ id: queued.id, attempt: 2 });
    await there.answer(queued.id, { output: 'y', attempt: 2 }).expect(200);
  }, 180_000);
});
