// needs: database, git, bubblewrap

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { server } from '../contracts/servers.contract.js';
import { outputOf } from '../support/builds/servers-under-test.js';
import { type SteleWithServers, serversFolder, startWithServers } from '../support/servers/stele-with-servers.js';
import { rawRequestsTo } from '../support/service/raw-request.js';

const MEBIBYTE = 1_048_576;
const CRASHED = 'Crashed: The server used more than 128 MiB of memory.';
const SLEEPS = 'Put to sleep to make room for another server.';
const NOT_RESTARTED =
  'Not restarted because the maximum number of servers is already running. The next request to the site starts it.';

const named = (name: string) =>
  server(`
  const [, does, host] = path.split('/');
  if (does === 'slow') await new Promise((resolve) => { globalThis.goOn = resolve; });
  if (does === 'is-slow') return globalThis.goOn !== undefined;
  if (does === 'go-on') globalThis.goOn();
  if (does === 'memory') for (const kept = []; ; ) kept.push(Buffer.alloc(${MEBIBYTE}, 1));
  if (does === 'way-out') return process.env.HTTPS_PROXY ?? 'none';
  if (does === 'connect') return new Promise((resolve) => {
    const { hostname, port } = new URL(process.env.HTTPS_PROXY);
    require('node:http').request({ hostname, port, method: 'CONNECT', path: host })
      .on('connect', ({ statusCode }) => resolve(statusCode)).on('error', (e) => resolve(e.code)).end();
  });
  return ${JSON.stringify(name)};
`);

describe('The resources of all servers together', () => {
  let temporary: Awaited<ReturnType<typeof serversFolder>>;
  let stele: SteleWithServers;

  beforeAll(async () => {
    temporary = await serversFolder('may');
    stele = await startWithServers({
      folder: temporary.folder,
      env: { STELE_BUILDER: 'bubblewrap', STELE_SERVERS: '1', STELE_SERVER_MEMORY: String(128 * MEBIBYTE) },
    });
  }, 120_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary?.remove();
  }, 60_000);

  const publish = async (slug: string) => stele.publish(slug, 'next', (await outputOf(named(slug))).bytes);
  async function logged(slug: string, line: string, times = 1) {
    while ((await stele.serverLog(slug)).filter((each) => each === line).length < times);
  }

  it('at most STELE_SERVERS servers run at a time; the least recently used one is stopped unless it is in use', async () => {
    await publish('one');
    expect((await stele.visit('one').expect(200)).text).toBe('one');
    await publish('two');
    expect((await stele.visit('two').expect(200)).text).toBe('two');
    expect((await stele.api.get('/v1/sites/one').expect(200)).body.server).toMatchObject({ state: 'sleeping' });
    await logged('one', SLEEPS);

    const slow = rawRequestsTo(stele.port, `two.localhost:${stele.port}`)('/slow');
    while ((await stele.visit('two', '/is-slow').expect(200)).text !== 'true');
    const { body, headers } = await stele.visit('one').set('accept', 'application/problem+json').expect(503);
    expect([body.code, headers['retry-after']]).toEqual(['server_starting', '5']);
    await stele.visit('two', '/go-on').expect(200);
    expect(String((await slow).body)).toBe('two');
    expect((await stele.visit('one').expect(200)).text).toBe('one');
  }, 60_000);

  it('all servers together use no more than the memory in STELE_SERVER_MEMORY', async () => {
    await publish('greedy');
    await stele.visit('greedy', '/memory').set('accept', 'application/problem+json').expect(502);
    await logged('greedy', CRASHED);
  }, 60_000);

  const newestLine = async () => (await stele.serverLog('greedy'))[0];

  it('a server that crashes can’t take another site’s slot when it restarts', async () => {
    // After three consecutive crashes, the service waits two seconds before it restarts a server, which is usually
    // enough to visit the other site. If the server restarts first, the next crash doubles the delay.
    for (let crashes = 2; (await newestLine()) !== NOT_RESTARTED; crashes++) {
      expect((await stele.visit('greedy').expect(200)).text).toBe('greedy');
      await stele.visit('greedy', '/memory').set('accept', 'application/problem+json').expect(502);
      await logged('greedy', CRASHED, crashes);
      if (crashes < 3) continue;
      expect((await stele.visit('two').expect(200)).text).toBe('two');
      while (![NOT_RESTARTED, SLEEPS].includes((await newestLine()) ?? ''));
    }
    expect((await stele.api.get('/v1/sites/two').expect(200)).body.server).toMatchObject({ state: 'running' });
    expect((await stele.visit('greedy').expect(200)).text).toBe('greedy');
  }, 60_000);

  it('servers have no network access, except to hosts that the `egress` capability names', async () => {
    await publish('going-out');
    expect((await stele.visit('going-out', '/way-out').expect(200)).text).toBe('none');
    const egress = { name: 'egress', enabled: true, config: { hosts: ['localhost.example.com'] } };
    await stele.api.post('/v1/sites/going-out/capabilities').set(stele.bearer).send(egress).expect(200);
    await publish('going-out');
    // Only one server can run. While the other server is stopped to make room, visitors are told to retry.
    while (!(await stele.visit('going-out', '/way-out')).text.startsWith('http://127.0.0.1:'));
    for (const host of ['other.example.com:443', 'localhost.example.com:80', '169.254.169.254:443'])
      expect([host, (await stele.visit('going-out', `/connect/${host}`).expect(200)).text]).toEqual([host, '403']);
    const none = 'is not one of the allowed hosts';
    await logged('going-out', `Blocked a connection: other.example.com ${none}.`);
    await logged('going-out', `Blocked a connection: 169.254.169.254 ${none}.`);
    await logged('going-out', 'Blocked a connection: localhost.example.com can only be reached on port 443.');
  }, 60_000);
});
