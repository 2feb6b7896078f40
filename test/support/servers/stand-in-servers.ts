import { createHash, randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import type { ServerAddress } from '../../../src/kernel/ports/served-deploy.js';
import { type Stele, startStele, temporaryFolder } from '../service/stele.js';

const START = 'test/support/servers/start-with-servers.ts';

export type Place = ServerAddress | { readonly refusal: 'server_failed' | 'server_starting' | 'server_timeout' };

export type SteleWithServers = Stele & {
  /**
   * Makes the server the live deploy of a site, and returns the deploy's ID. The site is created if it does not exist.
   */
  readonly run: (slug: string, place: Place, isLive?: boolean) => Promise<string>;
  readonly uses: () => Promise<{ readonly used: number; readonly answered: number; readonly failed: number }>;
  readonly remove: () => Promise<void>;
};

/** Starts the real service in front of servers that the test itself runs. */
export async function startWithServers(env: Record<string, string> = {}): Promise<SteleWithServers> {
  const { folder, remove } = await temporaryFolder('programs');
  const control = join(folder, 'programs.sock');
  const stele = await startStele({
    folder,
    env: { ...env, STELE_TEST_PROGRAMS: control },
    command: [process.execPath, START],
  });
  const run = async (slug: string, place: Place, isLive = true) => {
    const digest = createHash('sha256').update(randomUUID()).digest('hex');
    const files = [{ path: 'index.html', content: `<p>${slug}` }];
    const isThere = (await stele.raw.get(`/v1/sites/${slug}`)).status === 200;
    if (!isThere) await stele.api.post(`/v1/deploy?slug=${slug}`).send({ files }).expect(200);
    const site = await stele.api.get(`/v1/sites/${slug}`).expect(200);
    return (await ask(control, 'POST', { siteId: site.body.id, digest, place, isLive })).deployId as string;
  };
  return Object.assign(Object.create(null, Object.getOwnPropertyDescriptors(stele)), {
    run,
    uses: () => ask(control, 'GET'),
    remove: async () => {
      await stele.stop();
      await remove();
    },
  });
}

// biome-ignore lint/suspicious/noExplicitAny: each test knows the type of its response
function ask(socketPath: string, method: string, body?: object): Promise<any> {
  return new Promise((resolve, reject) => {
    request({ socketPath, method, path: '/' }, (answer) => json(answer).then(resolve, reject))
      .on('error', reject)
      .end(body && JSON.stringify(body));
  });
}
