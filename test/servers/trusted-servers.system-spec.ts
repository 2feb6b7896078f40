// needs: database, git, bubblewrap

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { server } from '../contracts/servers.contract.js';
import { outputOf } from '../support/builds/servers-under-test.js';
import { NAVIGATION } from '../support/people/site-visitor.js';
import { type SteleWithServers, serversFolder, startWithServers } from '../support/servers/stele-with-servers.js';
import { rawRequestsTo } from '../support/service/raw-request.js';

const revealing = async (name: string) =>
  (await outputOf(server(`return ${JSON.stringify(name)} + ': ' + (process.env.KEY ?? 'no secret');`))).bytes;

describe('The server of a site that has a secret', () => {
  let temporary: Awaited<ReturnType<typeof serversFolder>>;
  let stele: SteleWithServers;

  beforeAll(async () => {
    temporary = await serversFolder('trusted-servers');
    stele = await startWithServers({ folder: temporary.folder, env: { STELE_BUILDER: 'bubblewrap' } });
  }, 120_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary?.remove();
  }, 60_000);

  async function site(slug: string) {
    await stele.api.post(`/v1/deploy?slug=${slug}`).set(stele.bearer).type('html').send('<h1>Hi</h1>').expect(200);
    await stele.api.put(`/v1/sites/${slug}/secrets/KEY`).set(stele.bearer).send({ value: 'sesame' }).expect(200);
  }
  const publish = async (slug: string, name: string, trusted: boolean | null) =>
    stele.publish(slug, 'next', await revealing(name), stele.bearer, trusted);
  const rollBack = (slug: string, deployId: string) =>
    stele.api.post(`/v1/sites/${slug}/rollback`).set(stele.bearer).send({ deployId }).expect(200);
  const shown = async (slug: string, name: string) => {
    for (;;) {
      const { text } = await stele.visit(slug).expect(200);
      if (text.startsWith(name)) return text;
    }
  };

  /** Returns the page that an owner of the site sees in the preview of a deploy. */
  async function previewed(deployId: string): Promise<string> {
    const label = `dep-${deployId.slice('dep_'.length)}`;
    const visit = rawRequestsTo(stele.port, `${label}.localhost:${stele.port}`);
    const { headers } = await stele.raw
      .get(`/visit?at=${label}&to=/`)
      .set({ ...stele.bearer, accept: 'text/html' })
      .expect(303);
    const entrance = new URL(headers.location ?? '');
    const entered = await visit(entrance.pathname + entrance.search, NAVIGATION);
    const cookie = String(entered.headers['set-cookie']).split(';', 1)[0] ?? '';
    return String((await visit('/', { cookie })).body);
  }

  it('the server receives the secret only if its deploy is trusted, even in a preview and after a rollback', async () => {
    await site('servers');
    const trusted = await publish('servers', 'ours', true);
    expect(await shown('servers', 'ours')).toBe('ours: sesame');
    const untrusted = await publish('servers', 'theirs', false);
    expect(await shown('servers', 'theirs')).toBe('theirs: no secret');
    await rollBack('servers', trusted);
    expect(await shown('servers', 'ours')).toBe('ours: sesame');
    expect(await previewed(untrusted)).toBe('theirs: no secret');
    await rollBack('servers', untrusted);
    expect(await shown('servers', 'theirs')).toBe('theirs: no secret');
    expect(await previewed(trusted)).toBe('ours: sesame');
  }, 60_000);

  it('a server that went live before trust was recorded keeps receiving the secret until the next deploy', async () => {
    await site('older');
    const first = await publish('older', 'first', null);
    const second = await publish('older', 'second', null);
    expect(await shown('older', 'second')).toBe('second: sesame');
    // Another deploy was live when the service first recorded trust, so this one gets no secret.
    await rollBack('older', first);
    expect(await shown('older', 'first')).toBe('first: no secret');
    await rollBack('older', second);
    expect(await shown('older', 'second')).toBe('second: sesame');
    await stele.api.patch('/v1/deploy?slug=older').set(stele.bearer).type('html').send('<h1>Files</h1>').expect(200);
    await rollBack('older', second);
    expect(await shown('older', 'second')).toBe('second: no secret');
  }, 60_000);
});
