// needs: database, git, bubblewrap

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { server } from '../contracts/servers.contract.js';
import { outputOf } from '../support/builds/servers-under-test.js';
import { NAVIGATION } from '../support/people/site-visitor.js';
import { type SteleWithServers, serversFolder, startWithServers } from '../support/servers/stele-with-servers.js';
import { operator } from '../support/service/operator-command.js';
import { rawRequestsTo } from '../support/service/raw-request.js';

const OPERATOR = 'Bearer of-the-operator-of-tests';

const bytesOf = async (script: string) => (await outputOf(script)).bytes;

const named = (name: string) =>
  server(`
  if (path === '/exit') process.exit(7);
  if (path === '/secret') { console.log('it is ' + process.env.SECRET_WORD); return process.env.SECRET_WORD; }
  if (path === '/slow') await new Promise((resolve) => setTimeout(resolve, 2000));
  return ${JSON.stringify(name)};
`);

let temporary: Awaited<ReturnType<typeof serversFolder>>;
let stele: SteleWithServers;
const start = async (idleSeconds = 600) => {
  stele = await startWithServers({
    folder: temporary.folder,
    env: { STELE_SERVER_IDLE: String(idleSeconds), STELE_BUILDER: 'bubblewrap' },
  });
};
beforeAll(async () => {
  temporary = await serversFolder('servers');
});
afterAll(async () => {
  await stele?.stop();
  await temporary?.remove();
}, 60_000);

const standing = async (slug: string) => (await stele.api.get(`/v1/sites/${slug}`).expect(200)).body.server;
const becomes = async (slug: string, state: string) => {
  for (;;) {
    const now = await standing(slug);
    if (now?.state === state) return now;
    await delay(50);
  }
};

describe('The server of a site without visitors', () => {
  beforeAll(() => start(3), 120_000);
  afterAll(() => stele?.stop(), 60_000);

  it('the server is stopped when nobody visits, and started again for the next visitor', async () => {
    await stele.publish('sleeper', 'next', await bytesOf(named('awake')));
    expect((await stele.visit('sleeper').expect(200)).text).toBe('awake');
    expect(await becomes('sleeper', 'sleeping')).toEqual({ state: 'sleeping', since: expect.any(String) });
    expect((await stele.visit('sleeper').expect(200)).text).toBe('awake');
    const { text: metrics } = await stele.raw.get('/metrics').expect(200);
    expect(metrics).toMatch(/^stele_server_events_total\{event="start"\} [2-9]/m);
    expect(metrics).toMatch(/^stele_server_events_total\{event="sleep"\} [1-9]/m);
  }, 60_000);
});

describe('The server of a site', () => {
  beforeAll(() => start(), 120_000);

  it('the server has the site’s secrets, and its output appears in the site’s log without them', async () => {
    await stele.publish('first', 'next', await bytesOf(named('one')));
    await stele.api
      .put('/v1/sites/first/secrets/SECRET_WORD')
      .set(stele.bearer)
      .send({ value: 'open sesame' })
      .expect(200);
    await stele.publish('first', 'next', await bytesOf(named('two')));
    expect((await stele.visit('first').expect(200)).text).toMatch(/^(one|two)$/);
    await becomes('first', 'running');
    while ((await stele.visit('first').expect(200)).text !== 'two') await delay(20);
    expect((await stele.visit('first', '/secret').expect(200)).text).toBe('open sesame');
    for (;;) {
      const log = await stele.serverLog('first');
      if (!log.some((line) => line.startsWith('it is'))) continue;
      expect(log).toEqual(
        expect.arrayContaining(['it is ••••', 'listens', expect.stringMatching(/^Started in \d+ ms\.$/)]),
      );
      break;
    }
  }, 60_000);

  it('a deploy or rollback replaces the server without a failed request', async () => {
    const first = await stele.publish('moving', 'next', await bytesOf(named('1')));
    await stele.visit('moving').expect(200);
    const answers = new Map<string, number>();
    let isOver = false;
    const visiting = (async () => {
      while (!isOver) {
        const { status, text } = await stele.visit('moving');
        answers.set(`${status} ${text}`, (answers.get(`${status} ${text}`) ?? 0) + 1);
      }
    })();
    const slow = stele.visit('moving', '/slow').expect(200);
    const slowly = slow.then(({ text }) => text);
    const until = async (text: string) => {
      while ((await stele.visit('moving')).text !== text) await delay(10);
    };
    await stele.publish('moving', 'next', await bytesOf(named('2')));
    await until('2');
    expect(await slowly).toBe('1');
    await stele.api.post('/v1/sites/moving/rollback').set(stele.bearer).send({ deployId: first }).expect(200);
    await until('1');
    isOver = true;
    await visiting;
    expect([...answers.keys()].sort()).toEqual(['200 1', '200 2']);
  }, 60_000);

  it('after a crash, the server is restarted, and the reason appears in its log and the site’s history', async () => {
    await stele.publish('crashing', 'next', await bytesOf(named('up')));
    await stele.visit('crashing').expect(200);
    await stele.visit('crashing', '/exit').expect(502);
    // The next visitors wait for the restart, even with POST, because nothing was sent to the server yet.
    const after = [stele.visit('crashing'), stele.raw.post('/').set('host', `crashing.localhost:${stele.port}`)];
    for (const { status, text } of await Promise.all(after)) expect([status, text]).toEqual([200, 'up']);
    const history = stele.api.get('/v1/sites/crashing/history?type=SiteServerCrashed');
    const { body } = await history.set(stele.bearer).expect(200);
    expect(body.items.map(({ data }: { readonly data: unknown }) => data)).toEqual([
      expect.objectContaining({ reason: 'The server exited with code 7.' }),
    ]);
    while (!(await stele.serverLog('crashing')).includes('Crashed: The server exited with code 7.'));
    const { text: metrics } = await stele.raw.get('/metrics').expect(200);
    for (const event of ['start', 'crash'])
      expect(metrics).toMatch(new RegExp(`^stele_server_events_total\\{event="${event}"\\} [1-9]`, 'm'));
    expect(metrics).toMatch(/^stele_server_start_seconds_total 0?\.?\d/m);
  }, 60_000);

  it('a server that never starts up causes a 502, and the site’s log shows why', async () => {
    await stele.publish('broken', 'next', await bytesOf(`console.error('no such module'); process.exit(1)`));
    const { body } = await stele.visit('broken').set('accept', 'application/problem+json').expect(502);
    // Only owners see the reason for the crash.
    expect(body).toMatchObject({
      code: 'server_failed',
      detail: 'The site’s server failed or sent an invalid response.',
    });
    expect(await becomes('broken', 'crashed')).toMatchObject({ reason: 'The server exited with code 1.' });
  }, 60_000);

  it('the operator can list, inspect and stop the server with a command', async () => {
    await stele.publish('commanded', 'next', await bytesOf(named('by the operator')));
    await stele.visit('commanded').expect(200);
    const servers = (...words: string[]) => operator('servers', words, { STELE_DATA: temporary.folder }).ran;
    const { code, out } = await servers('list');
    expect([code, out]).toEqual([0, expect.stringMatching(/^commanded\trunning\t/m)]);
    await stele.visit('commanded').expect(200);
    expect(await servers('stop', 'commanded')).toMatchObject({ code: 0 });
    await becomes('commanded', 'sleeping');
    const printed = await servers('logs', 'commanded');
    expect(printed.out).toMatch(/Started in \d+ ms\.\n.*Put to sleep/s);
    expect((await servers('stop', 'nobody')).code).toBe(1);
  }, 60_000);

  it('besides the live server, only the most recently requested preview runs', async () => {
    const ids: string[] = [];
    for (const name of ['p1', 'p2', 'p3'])
      ids.push(await stele.publish('previewed', 'next', await bytesOf(named(name))));
    while ((await stele.visit('previewed')).text !== 'p3');
    const running = async () => {
      const answer = await stele.raw.get('/v1/admin/servers').set('authorization', OPERATOR).expect(200);
      const rows = answer.body.items as readonly { readonly deployId: string; readonly state: string }[];
      return ids.filter((id) => rows.some((row) => row.deployId === id && row.state === 'running'));
    };
    while ((await running()).length > 1) await delay(50);
    for (const [at, id] of ids.slice(0, 2).entries()) {
      const visit = rawRequestsTo(stele.port, `dep-${id.slice('dep_'.length)}.localhost:${stele.port}`);
      const way = `/visit?at=dep-${id.slice('dep_'.length)}&to=/`;
      const sent = await stele.raw
        .get(way)
        .set({ ...stele.bearer, accept: 'text/html' })
        .expect(303);
      const entrance = new URL(sent.headers.location ?? '');
      const entered = await visit(entrance.pathname + entrance.search, NAVIGATION);
      const cookie = String(entered.headers['set-cookie']).split(';', 1)[0] ?? '';
      expect(String((await visit('/', { cookie })).body)).toBe(`p${at + 1}`);
    }
    while ((await running()).length > 2) await delay(50);
    expect(await running()).toEqual([ids[1], ids[2]]);
  }, 60_000);

  it('the server runs again after a restart of the service or the machine, before any visit', async () => {
    await stele.publish('lasting', 'next', await bytesOf(named('there')));
    await stele.visit('lasting').expect(200);
    await stele.stop('SIGKILL');
    await start();
    expect((await becomes('lasting', 'running')).state).toBe('running');
    // Kills PostgreSQL as well, as if the machine had failed.
    const [postgres = ''] = (await readFile(join(temporary.folder, 'postgres/data/postmaster.pid'), 'utf8')).split(
      '\n',
    );
    await stele.stop('SIGKILL');
    process.kill(Number(postgres), 'SIGKILL');
    await start();
    expect((await becomes('lasting', 'running')).state).toBe('running');
    const servers = await stele.raw.get('/v1/admin/servers').set('authorization', OPERATOR).expect(200);
    const row = servers.body.items.find(({ slug }: { readonly slug: string }) => slug === 'lasting');
    expect(row).toMatchObject({ state: 'running', kind: 'next', starts: 3, startMs: expect.any(Number) });
  }, 90_000);
});
