// needs: database, git, bubblewrap, chromium, containers, busybox

import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HOSTILE } from '../support/servers/hostile-server.js';
import { type MemoryGroup, memoryGroup } from '../support/servers/memory-group.js';
import { standaloneOutput } from '../support/servers/standalone-output.js';
import { SteadyVisits } from '../support/servers/steady-visits.js';
import { type SteleWithServers, serversFolder, startWithServers } from '../support/servers/stele-with-servers.js';
import { rawRequestsTo } from '../support/service/raw-request.js';

const GIBIBYTE = 1_073_741_824;
const SITES = Array.from({ length: 20 }, (_, n) => `site-${n}`);
const OPERATOR = 'Bearer of-the-operator-of-tests';

/** A server that uses about 100 MiB, as a framework does. */
const GREEDY = HOSTILE.replace('const kept = [];', 'const kept = [Buffer.alloc(100 * 1048576, 1)];');

describe('Twenty sites with servers in 4 GiB', () => {
  let group: MemoryGroup;
  let temporary: Awaited<ReturnType<typeof serversFolder>>;
  let stele: SteleWithServers;

  beforeAll(async () => {
    group = await memoryGroup(`stele-test-${process.pid}`, 4 * GIBIBYTE);
    temporary = await serversFolder('twenty');
    const env = { STELE_BUILDER: 'bubblewrap', STELE_SERVER_MEMORY: '268435456' };
    stele = await startWithServers({ folder: temporary.folder, env, within: group.command });
    const bytes = await standaloneOutput(GREEDY, {});
    for (const slug of SITES) await stele.publish(slug, 'next', bytes);
  }, 240_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary?.remove();
    await group?.remove();
  }, 60_000);

  const ask = (slug: string, path = '/hello') => rawRequestsTo(stele.port, `${slug}.localhost:${stele.port}`)(path);
  async function servers() {
    const answer = await stele.raw.get('/v1/admin/servers?limit=100').set('authorization', OPERATOR).expect(200);
    return answer.body.items as readonly {
      readonly slug: string;
      readonly state: string;
      readonly memoryBytes?: number;
    }[];
  }

  it('at most eight servers run at the same time, and all twenty take turns when they are visited', async () => {
    let most = 0;
    const looking = { isOver: false };
    const look = (async () => {
      while (!looking.isOver) {
        const up = (await servers()).filter(({ state }) => state === 'running');
        most = Math.max(most, up.length);
        await delay(100);
      }
    })();
    const slowest: number[] = [];
    for (let round = 0; round < 2; round++)
      for (const slug of SITES) {
        const began = performance.now();
        expect((await ask(slug)).status).toBe(200);
        slowest.push(performance.now() - began);
      }
    // When all sites are requested at once, each visitor gets a response or is told to retry.
    const statuses = (await Promise.all(SITES.map((slug) => ask(slug)))).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    looking.isOver = true;
    await look;
    expect(most).toBeLessThanOrEqual(8);
    expect(most).toBeGreaterThan(1);
    slowest.sort((one, other) => one - other);
    const [median = 0, last = 0] = [slowest[slowest.length >> 1], slowest.at(-1)];
    console.log(
      `40 visits of 20 sites, 8 at once: median ${Math.round(median)} ms, slowest ${Math.round(last)} ms; all at once ${statuses.filter((status) => status === 200).length} of 20 answered`,
    );
  }, 240_000);

  it('servers that exhaust their memory, processes or processor do not harm the others', async () => {
    const [first = '', second = '', greedy = '', forking = '', busy = ''] = SITES;
    await stele.api.post('/v1/deploy?slug=with-files').send({ files: [{ path: 'index.html', content: 'files' }] });
    const well = [first, second, 'with-files'].map(
      (slug) =>
        new SteadyVisits(stele.port, `${slug}.localhost:${stele.port}`, '/', ({ status }) => status === 200, 100),
    );
    await delay(2_000);
    const harm = (slug: string, path: string) => ask(slug, path).catch(() => ({ status: 0 }));
    const done = await Promise.all([
      harm(greedy, '/memory'),
      harm(greedy, '/memory'),
      Promise.race([harm(forking, '/forks'), delay(10_000, { status: 504 }, { ref: false })]),
      harm(busy, '/busy'),
    ]);
    expect(done.map(({ status }) => status)).not.toContain(500);
    expect(await Promise.all(well.map((visits) => visits.end()))).toEqual([[], [], []]);
    for (const { count, slowestMs } of well) console.log(`${count} visits, the slowest ${Math.round(slowestMs)} ms`);
    const used = await group.most();
    console.log(`At most ${Math.round(used / 1_048_576)} MiB of 4096 were taken.`);
    expect(used).toBeLessThanOrEqual(4 * GIBIBYTE);
    await stele.raw.get('/health').expect(200);
  }, 240_000);
});
