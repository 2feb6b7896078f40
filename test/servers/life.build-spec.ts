import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { server } from '../contracts/programs.contract.js';
import { outputOf } from '../support/builds/programs-under-test.js';
import { type SteleWithServers, serversFolder, startWithServers } from '../support/servers/stele-with-servers.js';

const bytesOf = async (script: string) => (await outputOf(script)).bytes;

/** Says what it is, and does as the path says. */
const named = (name: string) =>
  server(`
  if (path === '/exit') process.exit(7);
  if (path === '/secret') { console.log('it is ' + process.env.SECRET_WORD); return process.env.SECRET_WORD; }
  if (path === '/slow') await new Promise((resolve) => setTimeout(resolve, 2000));
  return ${JSON.stringify(name)};
`);

describe('The program of a site', () => {
  let temporary: Awaited<ReturnType<typeof serversFolder>>;
  let stele: SteleWithServers;
  const start = async () => {
    stele = await startWithServers({
      folder: temporary.folder,
      env: { STELE_SERVER_IDLE: '3', STELE_BUILDER: 'bubblewrap' },
    });
  };
  beforeAll(async () => {
    temporary = await serversFolder('servers');
    await start();
  }, 120_000);
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

  it('answers its visitors, with the site’s secrets, and says what it prints in the site’s logs without them', async () => {
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

  it('sleeps when nobody comes, and is woken by the next visitor', async () => {
    await stele.publish('sleeper', 'next', await bytesOf(named('awake')));
    expect((await stele.visit('sleeper').expect(200)).text).toBe('awake');
    expect(await becomes('sleeper', 'sleeping')).toEqual({ state: 'sleeping', since: expect.any(String) });
    expect((await stele.visit('sleeper').expect(200)).text).toBe('awake');
    expect((await standing('sleeper')).state).toBe('running');
  }, 60_000);

  it('is replaced without a request that fails, also by a rollback', async () => {
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

  it('that crashes says why, is started again, and is in the history of the site', async () => {
    await stele.publish('crashing', 'next', await bytesOf(named('up')));
    await stele.visit('crashing').expect(200);
    await stele.visit('crashing', '/exit').expect(502);
    let answer = await stele.visit('crashing');
    // As long as it takes to see that its process is gone.
    for (; answer.status === 502; answer = await stele.visit('crashing'));
    expect(answer).toMatchObject({ status: 200, text: 'up' });
    const history = stele.api.get('/v1/sites/crashing/history?type=SiteServerCrashed');
    const { body } = await history.set(stele.bearer).expect(200);
    expect(body.items.map(({ data }: { readonly data: unknown }) => data)).toEqual([
      expect.objectContaining({ reason: 'It ended with exit code 7.' }),
    ]);
    for (;;) {
      if ((await stele.serverLog('crashing')).includes('Crashed: It ended with exit code 7.')) break;
    }
  }, 60_000);

  it('that never comes to answer is a 502, and the site says why', async () => {
    await stele.publish('broken', 'next', await bytesOf(`console.error('no such module'); process.exit(1)`));
    const { body } = await stele.visit('broken').set('accept', 'application/problem+json').expect(502);
    // Why it crashed is for its owners.
    expect(body).toMatchObject({
      code: 'server_failed',
      detail: 'The program of the site does not answer as it should.',
    });
    expect(await becomes('broken', 'crashed')).toMatchObject({ reason: 'It ended with exit code 1.' });
  }, 60_000);

  it('runs again after a restart of the service, before anybody comes', async () => {
    await stele.publish('lasting', 'next', await bytesOf(named('there')));
    await stele.visit('lasting').expect(200);
    await stele.stop('SIGKILL');
    await start();
    expect((await becomes('lasting', 'running')).state).toBe('running');
    const servers = await stele.raw
      .get('/v1/admin/servers')
      .set('authorization', 'Bearer of-the-operator-of-tests')
      .expect(200);
    const row = servers.body.items.find(({ slug }: { readonly slug: string }) => slug === 'lasting');
    expect(row).toMatchObject({ state: 'running', kind: 'next', starts: 2, startMs: expect.any(Number) });
  }, 90_000);
});
