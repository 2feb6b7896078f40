import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { signIn } from '../people/sign-in.js';
import { type Stele, startStele, temporaryFolder } from '../service/stele.js';

const START = 'test/support/servers/start-with-deploys.ts';

type Bearer = { readonly authorization: string };

export type SteleWithServers = Stele & {
  /**
   * Makes a server the live deploy of a site, and returns the deploy's ID. The site is created if it does not exist.
   * `trusted: null` stands for a deploy from before the service recorded trust.
   */
  readonly publish: (
    slug: string,
    kind: 'next' | 'container',
    bytes: Buffer,
    owner?: Bearer,
    trusted?: boolean | null,
  ) => Promise<string>;
  readonly bearer: Bearer;
  /** Returns the log lines about this site's servers, newest first. */
  readonly serverLog: (slug: string) => Promise<readonly string[]>;
};

type Wanted = {
  readonly folder: string;
  readonly env?: Record<string, string>;
  readonly within?: readonly [string, ...string[]];
};

/** Starts the real service with servers that the test publishes as a job would. */
export async function startWithServers({ folder, env = {}, within }: Wanted): Promise<SteleWithServers> {
  const control = join(folder, 'deploys.sock');
  const stele = await startStele({
    folder,
    env: { STELE_ADMIN_TOKEN: 'of-the-operator-of-tests', ...env, STELE_TEST_DEPLOYS: control },
    command: within ? [...within, process.execPath, START] : [process.execPath, START],
  });
  // Only owners can set secrets, so a user is signed in.
  const { bearer } = await signIn(stele, 'ann@example.org');
  const made = new Set<string>();
  const publish = async (slug: string, kind: string, bytes: Buffer, owner = bearer, trusted: boolean | null = true) => {
    if (!made.has(slug)) {
      const files = [{ path: 'index.html', content: slug }];
      await stele.api.post(`/v1/deploy?slug=${slug}`).set(owner).send({ files }).expect(200);
      made.add(slug);
    }
    const { body } = await stele.api.get(`/v1/sites/${slug}`).expect(200);
    return post(control, `/?siteId=${body.id}&kind=${kind}&trusted=${trusted}`, bytes);
  };
  return Object.assign(Object.create(null, Object.getOwnPropertyDescriptors(stele)), {
    publish,
    bearer,
    serverLog: async (slug: string) => {
      const logs = stele.api.get(`/v1/sites/${slug}/logs?kind=server&limit=100`);
      const { body } = await logs.set(bearer).expect(200);
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

/** Creates a temporary folder. `remove` also unmounts everything that a killed service left mounted in it. */
export async function serversFolder(name: string) {
  const { folder, remove } = await temporaryFolder(name);
  return {
    folder,
    remove: async () => {
      const mounts = (await readFile('/proc/self/mounts', 'utf8')).split('\n').map((line) => line.split(' ')[1] ?? '');
      for (const path of mounts)
        if (path.startsWith(`${folder}/`)) await once(spawn('umount', ['--lazy', path]), 'close');
      await remove();
    },
  };
}
