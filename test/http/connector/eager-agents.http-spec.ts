import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { agentOf, type ConnectorSite, connectorSite, invoke } from '../../support/connector/connector-site.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

describe('A connector agent that requests its next work item with each result', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let site: ConnectorSite;
  beforeAll(async () => {
    temporary = await temporaryFolder('connector-eager');
    stele = await startStele({ folder: temporary.folder, env: { STELE_RATE_LIMITS: 'off' } });
    site = await connectorSite(stele);
  }, 60_000);
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
    let at = 0;
    let kept = '';
    await one.poll().expect(200);
    while (kept === '') {
      await one.answer(ids[at] ?? '', { output: at }).expect(200);
      at++;
      const next = ids[at] ?? '';
      if ((await show(next)).status === 'leased') kept = next;
      else expect((await one.poll().expect(200)).body).toMatchObject({ id: next, input: at, attempt: 1 });
    }
    // The service returns the item to the queue even if no other agent polls.
    while ((await show(kept)).status === 'leased') await delay(10);
    expect(await types(kept)).toEqual(['WorkQueued', 'WorkLeased', 'WorkReturned']);
    expect((await two.poll().expect(200)).body).toMatchObject({ id: kept, input: at });
    await two.answer(kept, { output: 'done' }).expect(200);
    expect(await show(kept)).toMatchObject({ status: 'succeeded', output: 'done' });
  }, 40_000);
});
