import { request } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { type Stele, startStele, temporaryFolder } from '../service/stele.js';

const START = 'test/support/servers/start-with-deploys.mjs';

export type SteleWithServers = Stele & {
  /** Makes a program the live deploy of a site, which is made where there is none. Answers the id of the deploy. */
  readonly publish: (slug: string, kind: 'next' | 'container', bytes: Buffer) => Promise<string>;
  /** The site’s edit token. */
  readonly tokenOf: (slug: string) => string;
  /** What its logs say of its programs, the newest first. */
  readonly serverLog: (slug: string) => Promise<readonly string[]>;
};

type Wanted = { readonly folder: string; readonly env?: Record<string, string> };

/** The real service, to which a test gives programs as a job would. */
export async function startWithServers({ folder, env = {} }: Wanted): Promise<SteleWithServers> {
  const control = join(folder, 'deploys.sock');
  const stele = await startStele({
    folder,
    env: { STELE_ADMIN_TOKEN: 'operator', ...env, STELE_TEST_DEPLOYS: control },
    command: [process.execPath, START],
  });
  const tokens = new Map<string, string>();
  const publish = async (slug: string, kind: string, bytes: Buffer) => {
    if (!tokens.has(slug)) {
      const files = [{ path: 'index.html', content: slug }];
      const made = await stele.api.post(`/v1/deploy?slug=${slug}`).send({ files }).expect(200);
      tokens.set(slug, made.body.editToken);
    }
    const { body } = await stele.api.get(`/v1/sites/${slug}`).expect(200);
    return post(control, `/?siteId=${body.id}&kind=${kind}`, bytes);
  };
  return Object.assign(Object.create(null, Object.getOwnPropertyDescriptors(stele)), {
    publish,
    tokenOf: (slug: string) => tokens.get(slug) ?? '',
    serverLog: async (slug: string) => {
      const logs = stele.api.get(`/v1/sites/${slug}/logs?kind=server&limit=100`);
      const { body } = await logs.set('x-svc-edit-token', tokens.get(slug) ?? '').expect(200);
      return body.items.map(({ message }: { readonly message: string }) => message);
    },
  });
}

function post(socketPath: string, path: string, body: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    request({ socketPath, method: 'POST', path }, (answer) =>
      json(answer).then((made) => resolve((made as { readonly deployId: string }).deployId), reject),
    )
      .on('error', reject)
      .end(body);
  });
}

export { temporaryFolder };
