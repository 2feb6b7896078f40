import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bytesLike, digestOf, offsetOf, upload } from '../../support/content/uploads.js';
import { StandIn } from '../../support/eventstore/kurrent/stand-in.js';
import { operator } from '../../support/service/operator-command.js';
import { waitForOutput } from '../../support/service/output.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';
import { historyOf } from '../../support/sites/history.js';

const PATIENCE = 120_000;

describe('A service with EVENTSTORE_URL', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let server: StandIn;
  let stele: Stele;
  const start = (url = server.url) => startStele({ folder: temporary.folder, env: { EVENTSTORE_URL: url } });
  const deploy = (query: string, html: string) => stele.api.post(`/v1/deploy?${query}`).type('html').send(html);
  /** Returns the site without its addresses, which contain the port of the process. */
  const toldOf = async (slug: string) => {
    const { url: _, pathUrl: __, ...told } = (await stele.api.get(`/v1/sites/${slug}`).expect(200)).body;
    return told;
  };
  let site: { editToken: string; deployId: string };

  beforeAll(async () => {
    temporary = await temporaryFolder('kurrent');
    server = await StandIn.start();
    stele = await start(server.url.replace('esdb:', 'kurrentdb:'));
  }, PATIENCE);
  afterAll(async () => {
    await stele?.stop();
    server.stop();
    await temporary.remove();
  });

  it(
    'a site’s events are stored in EventStoreDB and not in the database',
    async () => {
      site = (await deploy('slug=stone', '<h1>One</h1>').expect(200)).body;
      const patch = stele.api.patch('/v1/deploy?slug=stone').set('x-svc-edit-token', site.editToken);
      await patch.type('html').send('<h1>Two</h1>').expect(200);
      expect((await stele.visit('stone').expect(200)).text).toBe('<h1>Two</h1>');
      const rollback = stele.api.post('/v1/sites/stone/rollback').set('x-svc-edit-token', site.editToken);
      await rollback.send({ deployId: site.deployId }).expect(200);
      expect((await stele.visit('stone').expect(200)).text).toBe('<h1>One</h1>');

      expect(server.log.ours().map(({ type }) => type)).toEqual(
        expect.arrayContaining(['SiteCreated', 'SiteRolledBack']),
      );
      expect(await stele.query(`select to_regclass('events') as events`)).toEqual([{ events: null }]);
      expect(server.calls.batchAppend).toBe(0);
    },
    PATIENCE,
  );

  it('/health names the event store’s engine, and its address is logged at startup', async () => {
    const { body } = await stele.api.get('/health').expect(200);
    expect(body).toMatchObject({ status: 'ok', eventStore: { engine: 'kurrentdb' }, checks: { eventStore: 'ok' } });
    // In EventStoreDB, positions are byte offsets, so they do not count events.
    expect(body.checks.projections).toMatchObject({ unit: 'bytes' });
    await waitForOutput(stele.printed, `events in KurrentDB at 127.0.0.1:${server.port}`);
  });

  it(
    'until read models are rebuilt, /health and the log report a checkpoint that the event store does not know',
    async () => {
      await stele.query(`update checkpoints set position = position - 1`);
      let { body } = await stele.api.get('/health').expect(200);
      while (body.status === 'ok') {
        await delay(100);
        ({ body } = await stele.api.get('/health').expect(200));
      }
      expect(body.trouble).toContain('npm run projections -- rebuild');
      const [, position = ''] = /at position (\d+)/.exec(body.trouble) ?? [];
      await waitForOutput(stele.printed, `at position ${position},`);

      const env = { STELE_DATA: temporary.folder, EVENTSTORE_URL: server.url };
      const { code, err } = await operator('projections', ['rebuild'], env).ran;
      expect([code, err]).toEqual([0, expect.any(String)]);
      while ((await stele.api.get('/health').expect(200)).body.status !== 'ok') await delay(100);
      expect((await stele.api.get('/v1/sites/stone').expect(200)).body.slug).toBe('stone');
    },
    PATIENCE,
  );

  it(
    'a site’s history is a single hash chain, unchanged by a restart',
    async () => {
      const before = await historyOf(stele, 'stone', site.editToken);
      expect(before.length).toBeGreaterThan(2);
      await stele.stop('SIGKILL');
      stele = await start();
      expect(await historyOf(stele, 'stone', site.editToken)).toEqual(before);
      expect((await stele.visit('stone').expect(200)).text).toBe('<h1>One</h1>');
    },
    PATIENCE,
  );

  it(
    'an interrupted upload can be continued and published after the process has crashed',
    async () => {
      const bytes = bytesLike(3_000);
      const sha256 = digestOf(bytes);
      const me = { 'x-svc-edit-token': site.editToken };
      const begun = await upload(stele.base, sha256, {
        headers: { ...me, 'upload-complete': '?0', 'upload-length': String(bytes.length) },
        body: bytes.subarray(0, 1_000),
      });
      expect(begun?.status).toBe(204);
      await stele.stop('SIGKILL');
      stele = await start();
      expect(await offsetOf(stele.base, sha256, me)).toBe(1_000);
      const whole = await upload(stele.base, sha256, {
        method: 'PATCH',
        headers: {
          ...me,
          'content-type': 'application/partial-upload',
          'upload-offset': '1000',
          'upload-complete': '?1',
        },
        body: bytes.subarray(1_000),
      });
      expect(whole?.status).toBe(201);
      const files = [{ path: 'sent.bin', sha256 }];
      await stele.api.patch('/v1/deploy?slug=stone&mode=merge').set(me).send({ files }).expect(200);
      const { body: shown } = await stele.visit('stone', '/sent.bin').responseType('blob').expect(200);
      expect(digestOf(shown)).toBe(sha256);
    },
    PATIENCE,
  );

  it(
    'while the event store is down, /ready returns 503 but sites stay online, and the service then recovers',
    async () => {
      server.stop();
      await stele.api.get('/ready').expect(503);
      expect((await stele.api.get('/health').expect(200)).body).toMatchObject({
        status: 'degraded',
        checks: { eventStore: 'failing', database: 'ok' },
      });
      expect((await stele.visit('stone').expect(200)).text).toBe('<h1>One</h1>');
      const refused = await deploy('slug=later', '<p>later</p>').expect(503);
      expect(refused.body).toMatchObject({ status: 503 });

      await server.listen();
      for (let status = 0; status !== 200; ) ({ status } = await stele.raw.get('/ready'));
      await deploy('slug=again', '<p>again</p>').expect(200);
      expect((await stele.visit('again').expect(200)).text).toBe('<p>again</p>');
    },
    PATIENCE,
  );

  it(
    'read models can be verified against the log in the event store',
    async () => {
      const env = { STELE_DATA: temporary.folder, EVENTSTORE_URL: server.url };
      const verified = await operator('projections', ['verify'], env).ran;
      expect(verified).toMatchObject({ code: 0 });
      expect(verified.out).toMatch(/^site: matches the log at position \d+/m);
    },
    PATIENCE,
  );

  it(
    'a log that was copied out of EventStoreDB or back into it is read from its beginning',
    async () => {
      const before = await toldOf('stone');
      await stele.stop();
      const env = { STELE_DATA: temporary.folder };
      const copied = await operator('events', ['copy', '--from', server.url, '--to', 'embedded'], env).ran;
      expect(copied).toMatchObject({ code: 0 });

      stele = await startStele({ folder: temporary.folder, env: { EVENTSTORE_URL: '' } });
      expect((await stele.api.get('/health').expect(200)).body.eventStore).toEqual({ engine: 'postgresql' });
      expect(await toldOf('stone')).toEqual(before);
      expect((await stele.visit('stone').expect(200)).text).toBe('<h1>One</h1>');
      await deploy('slug=here', '<p>here</p>').expect(200);
      await stele.stop();

      const back = await operator('events', ['copy', '--from', 'embedded', '--to', server.url], env).ran;
      expect(back).toMatchObject({ code: 0 });
      stele = await start();
      expect((await stele.visit('here').expect(200)).text).toBe('<p>here</p>');
      expect(await toldOf('stone')).toEqual(before);
    },
    2 * PATIENCE,
  );

  it(
    'the service refuses to start if its sites have a history but the event store is empty, and explains what to do',
    async () => {
      await stele.stop();
      const empty = await StandIn.start();
      await expect(start(empty.url)).rejects.toThrow(
        /The event store is empty, but these sites were built from an earlier history.*npm run events -- copy/s,
      );
      empty.stop();
      stele = await start();
    },
    PATIENCE,
  );
});

describe('An invalid EVENTSTORE_URL prevents the start', () => {
  it.each([
    ['http://host:2113', /a connection string such as esdb:/],
    ['esdb://host:2113', /needs a user name and a password/],
    ['esdb://stele@host?tls=false', /a connection string such as esdb:/],
  ])(
    'the service does not start with the EVENTSTORE_URL %s',
    async (url, words) => {
      const { folder, remove } = await temporaryFolder('kurrent-settings');
      await expect(startStele({ folder, env: { EVENTSTORE_URL: url } })).rejects.toThrow(words);
      await remove();
    },
    60_000,
  );
});
