import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { agentOf, type ConnectorSite, connectorSite, invoke } from '../../support/connector/connector-site.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

describe('Connector callers', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let site: ConnectorSite;
  beforeAll(async () => {
    temporary = await temporaryFolder('connector-callers');
    const env = { STELE_RATE_LIMITS: 'on', STELE_TRUSTED_PROXIES: '127.0.0.1' };
    stele = await startStele({ folder: temporary.folder, env });
    site = await connectorSite(stele);
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  const from = (address: string, body: object, of = site) => invoke(stele, of, body).set('x-forwarded-for', address);

  it('repeating a call with the same Idempotency-Key queues only one work item', async () => {
    const agent = await agentOf(stele, site);
    const send = (key: string, body: object = { input: 'once', wait: 0 }) =>
      from('198.51.100.1', body).set('idempotency-key', key);
    const { body: first } = await send('the-first-key').expect(202);
    const again = await send('the-first-key').expect(202);
    expect(again.body).toEqual(first);
    expect(again.headers['idempotency-replayed']).toBe('true');
    await agent.poll().expect(200);
    await agent.poll().expect(204);
    await agent.answer(first.id, { output: 1 }).expect(200);
    expect((await send('the-first-key', { input: 'twice', wait: 0 }).expect(422)).body.code).toBe(
      'idempotency_key_reused',
    );
    expect((await send('short', {}).expect(400)).body.errors[0].path).toBe('idempotency-key');
  });

  it('a caller can disconnect and get the result later with the same Idempotency-Key', async () => {
    const agent = await agentOf(stele, site);
    const send = () => from('198.51.100.2', { input: 'patience', wait: 30 }).set('idempotency-key', 'a-patient-caller');
    const lost = send();
    void lost.end(() => undefined);
    const { body: work } = await agent.poll(20).expect(200);
    lost.abort();
    expect((await send().expect(409)).body.code).toBe('idempotency_in_progress');
    await agent.answer(work.id, { output: 'here it is' }).expect(200);
    for (let n = 0; n < 40 && (await send()).status === 409; n++) await delay(500);
    const { body, headers } = await send().expect(200);
    expect(body).toEqual({ id: work.id, status: 'succeeded', output: 'here it is' });
    expect(headers['idempotency-replayed']).toBe('true');
    await agent.poll().expect(204);
  }, 180_000);

  it('a caller that floods a site is refused, without affecting other callers or the agent', async () => {
    const agent = await agentOf(stele, site);
    const flood = await Promise.all(
      Array.from({ length: 100 }, () => from('203.0.113.66', { input: 'x', wait: 0 }).then((answer) => answer)),
    );
    const refused = flood.filter(({ status }) => status === 429);
    expect(flood.filter(({ status }) => status === 202)).toHaveLength(60);
    expect(refused).toHaveLength(40);
    expect(refused[0]?.body).toMatchObject({ code: 'rate_limited', retryable: true });
    expect(refused[0]?.headers).toMatchObject({ 'retry-after': expect.any(String), ratelimit: expect.any(String) });
    const { body } = await from('203.0.113.67', { input: 'one of many', wait: 0, priority: 1 }).expect(202);
    expect((await agent.poll().expect(200)).body.id).toBe(body.id);
    await agent.answer(body.id, { output: 1 }).expect(200);
    for (let n = 0; n < 60; n++) await agent.poll().expect(200);
    await agent.poll().expect(204);
  }, 40_000);

  it('new calls are refused once a thousand calls are waiting', async () => {
    const full = await connectorSite(stele, 'full@example.org');
    const agent = await agentOf(stele, full);
    const [{ site_id: siteId } = {}] = await stele.query(
      `select site_id from connector_tokens where token_id = '${agent.tokenId}'`,
    );
    await stele.query(
      `insert into connector_work (work_id, site_id, priority, state, input)
       select 'wrk_' || lpad(n::text, 26, '0'), '${String(siteId)}', 0, 'queued', '1' from generate_series(1, 1000) n`,
    );
    const { body } = await from('198.51.100.3', { input: 'x' }, full).expect(429);
    expect(body).toMatchObject({ code: 'quota_exceeded', waiting: 1_000 });
    await stele.query(`delete from connector_work where work_id = 'wrk_${'1'.padStart(26, '0')}'`);
    await from('198.51.100.3', { input: 'x', wait: 0 }, full).expect(202);
  });

  it('a caller’s event stream ends after the requested wait, with the status of the work', async () => {
    await agentOf(stele, site);
    const { text, headers } = await stele.raw
      .post(`/v1/sites/${site.slug}/connector/invoke`)
      .set({ origin: site.origin, accept: 'text/event-stream', 'x-forwarded-for': '198.51.100.4' })
      .send({ input: 'x', wait: 0.2 })
      .expect(200);
    expect(text).toMatch(/^event: queued\ndata: \{"id":"wrk_[0-9a-z]{26}","status":"queued"\}\n\n$/);
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
    });
  });

  it('waiting callers and agents get an immediate response when the service stops', async () => {
    const folder = await temporaryFolder('connector-stop');
    const stopped = await startStele({ folder: folder.folder });
    const its = await connectorSite(stopped);
    const agent = await agentOf(stopped, its);
    await invoke(stopped, its, { input: 'taken', wait: 0 }).expect(202);
    await agent.poll().expect(200);
    const polling = agent.poll(30).then(({ status }) => status);
    const idle = await connectorSite(stopped, 'idle@example.org');
    const calling = agentOf(stopped, idle).then(() => invoke(stopped, idle, { input: 1 }).then(({ status }) => status));
    while ((await stopped.query('select from connector_work')).length < 2) await delay(20);
    const begunAt = performance.now();
    expect(await stopped.stop()).toBe(0);
    // Without these responses, the service would wait ten seconds for its requests to finish.
    expect(performance.now() - begunAt).toBeLessThan(9_500);
    expect(await polling).toBe(204);
    expect(await calling).toBe(202);
    await folder.remove();
  }, 180_000);
});
