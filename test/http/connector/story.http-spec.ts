import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { agentOf, type ConnectorSite, connectorSite, invoke } from '../../support/connector/connector-site.js';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';

describe('A page that calls an agent', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let site: ConnectorSite;
  beforeAll(async () => {
    temporary = await temporaryFolder('connector');
    stele = await sharedStele({ folder: temporary.folder });
    site = await connectorSite(stele);
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  it('the page receives the agent’s result', async () => {
    const agent = await agentOf(stele, site, 'the first');
    const polling = agent.poll(20).expect(200);
    const asked = polling.then(({ body }) => body);
    const answered = invoke(stele, site, { input: { question: 'six times nine?' } })
      .expect(200)
      .then(({ body }) => body);
    const work = await asked;
    expect(work).toEqual({
      id: expect.stringMatching(/^wrk_[0-9a-z]{26}$/),
      slug: site.slug,
      input: { question: 'six times nine?' },
      attempt: 1,
      deadline: expect.any(String),
    });
    const left = Date.parse(work.deadline) - Date.now();
    expect(left).toBeGreaterThan(50_000);
    expect(left).toBeLessThanOrEqual(60_500);
    const { body: recorded } = await agent.answer(work.id, { output: { answer: 42 } }).expect(200);
    expect(recorded).toEqual({ id: work.id, status: 'succeeded', attempt: 1 });
    expect(await answered).toEqual({ id: work.id, status: 'succeeded', output: { answer: 42 } });

    const log = await stele.log();
    const events = log.filter(({ stream }) => stream === `work-${work.id}`);
    expect(events.map(({ type }) => type)).toEqual(['WorkQueued', 'WorkLeased', 'WorkSucceeded']);
    expect(JSON.stringify(events)).not.toMatch(/six times|answer/);
  });

  it('the page receives the reason why its call failed', async () => {
    const agent = await agentOf(stele, site);
    const answered = invoke(stele, site, { input: null }).then(({ body }) => body);
    const { body: work } = await agent.poll(20).expect(200);
    await agent.answer(work.id, { error: { message: 'Not today.' } }).expect(200);
    expect(await answered).toEqual({ id: work.id, status: 'failed', error: { message: 'Not today.' } });
  });

  it('the page can fetch the result later', async () => {
    const agent = await agentOf(stele, site);
    const { body: queued } = await invoke(stele, site, { input: [1, 2], wait: 0 }).expect(202);
    expect(queued).toEqual({ id: expect.any(String), status: 'queued' });
    const later = () => stele.api.get(`/v1/sites/${site.slug}/connector/invocations/${queued.id}`).expect(200);
    expect((await later()).body).toMatchObject({ status: 'queued', finishedAt: null });
    await agent.poll().expect(200);
    expect((await later()).body).toMatchObject({ status: 'leased', attempt: 1 });
    await agent.answer(queued.id, { output: 'done' }).expect(200);
    expect((await later()).body).toMatchObject({ id: queued.id, status: 'succeeded', output: 'done' });
  });

  it('the page can call the agent through the site’s own host', async () => {
    const agent = await agentOf(stele, site);
    const host = `${site.slug}.localhost:${stele.port}`;
    const answered = stele.raw
      .post('/.stele/invoke')
      .set({ host, origin: site.origin })
      .send({ input: 'here' })
      .expect(200)
      .then(({ body }) => body);
    const { body: work } = await agent.poll(20).expect(200);
    expect(work.input).toBe('here');
    await agent.answer(work.id, { output: 'there' }).expect(200);
    expect(await answered).toMatchObject({ status: 'succeeded', output: 'there' });
  });

  it('the page receives partial results as they arrive', async () => {
    const agent = await agentOf(stele, site);
    const answered = stele.raw
      .post(`/v1/sites/${site.slug}/connector/invoke`)
      .set({ origin: site.origin, accept: 'text/event-stream' })
      .send({ input: 'a story' })
      .expect(200)
      .then(({ text }) => text);
    const { body: work } = await agent.poll(20).expect(200);
    await agent.answer(work.id, { partial: true, output: 'Once ' }).expect(200);
    const { body: part } = await agent.answer(work.id, { partial: true, output: 'upon ' }).expect(200);
    expect(part).toMatchObject({ id: work.id, status: 'leased', attempt: 1 });
    await agent.answer(work.id, { output: 'Once upon a time.' }).expect(200);
    const { id } = work;
    expect(await answered).toBe(
      [
        `event: partial\ndata: {"id":"${id}","attempt":1,"output":"Once "}\n\n`,
        `event: partial\ndata: {"id":"${id}","attempt":1,"output":"upon "}\n\n`,
        `event: succeeded\ndata: {"id":"${id}","status":"succeeded","output":"Once upon a time."}\n\n`,
      ].join(''),
    );
  });
});
