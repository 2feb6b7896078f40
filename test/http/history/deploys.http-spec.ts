import { hash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fromBufferPromise } from 'yauzl';
import { strangerToken } from '../../support/people/stranger-token.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

type Site = {
  readonly slug: string;
  readonly editToken: string;
  readonly deployId: string;
  readonly createdAt: string;
};

describe('Deploys of a site', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;

  beforeAll(async () => {
    temporary = await temporaryFolder('deploys');
    // Times in responses must not depend on the time zone.
    stele = await startStele({ folder: temporary.folder, env: { TZ: 'Asia/Kolkata' } });
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  const sha256 = (content: string) => hash('sha256', content);
  const file = (path: string, content: string) => ({ path, content });

  async function made(...files: object[]): Promise<Site> {
    const { body } = await stele.api.post('/v1/deploy').send({ files }).expect(200);
    return body;
  }

  async function redeployed({ slug, editToken }: Site, ...files: object[]): Promise<Site> {
    const patch = stele.api.patch('/v1/deploy').query({ slug }).set('x-svc-edit-token', editToken);
    const { body } = await patch.send({ files }).expect(200);
    return { ...body, editToken };
  }

  const rolledBack = ({ slug, editToken }: Site, { deployId }: Site) =>
    stele.api.post(`/v1/sites/${slug}/rollback`).set('x-svc-edit-token', editToken).send({ deployId }).expect(200);

  const read = ({ slug, editToken }: Site, path: string, query: object = {}) =>
    stele.api.get(`/v1/sites/${slug}/${path}`).query(query).set('x-svc-edit-token', editToken);

  describe('listing deploys by time', () => {
    const justBefore = (time: string) => new Date(Date.parse(time) - 1).toISOString();

    it('a query with a time returns the deploy that was live at that time', async () => {
      const first = await made(file('index.html', '1'));
      const second = await redeployed(first, file('index.html', '2'));
      const { body: back } = await rolledBack(first, first);
      const third = await redeployed(first, file('index.html', '3'));

      const at = async (time: string) => (await read(first, 'deploys', { at: time }).expect(200)).body;
      const none = { items: [], page: 1, limit: 20, total: 0 };
      expect(await at(justBefore(first.createdAt))).toEqual(none);
      const told = [
        [first.createdAt, first, first.createdAt, second.createdAt],
        [justBefore(second.createdAt), first, first.createdAt, second.createdAt],
        [second.createdAt, second, second.createdAt, back.rolledBackAt],
        [back.rolledBackAt, first, back.rolledBackAt, third.createdAt],
        [third.createdAt, third, third.createdAt, null],
        ['9999-12-31T23:59:59.999Z', third, third.createdAt, null],
      ] as const;
      for (const [time, { deployId }, liveFrom, liveUntil] of told) {
        const list = await at(time);
        expect([time, list]).toMatchObject([time, { items: [{ deployId, liveFrom, liveUntil }], page: 1, total: 1 }]);
        expect(list.items).toHaveLength(1);
      }
    });

    it('a deploy that was stored without publishing is not listed as live until a rollback makes it live', async () => {
      const first = await made(file('index.html', '1'));
      const { body: staged } = await stele.api
        .patch('/v1/deploy')
        .query({ slug: first.slug, publish: false })
        .set('x-svc-edit-token', first.editToken)
        .send({ files: [file('index.html', '2')] })
        .expect(200);
      const { body: shown } = await rolledBack(first, staged);

      const liveAt = async (at: string) => (await read(first, 'deploys', { at }).expect(200)).body.items[0].deployId;
      expect(await liveAt(staged.createdAt)).toBe(first.deployId);
      expect(await liveAt(shown.rolledBackAt)).toBe(staged.deployId);
    });

    it('every RFC 3339 time format is accepted', async () => {
      const site = await made(file('index.html', '1'));
      const total = async (at: string) => (await read(site, 'deploys', { at }).expect(200)).body.total;
      const inIndia = new Date(Date.parse(site.createdAt) + 5.5 * 3_600_000).toISOString().replace('Z', '+05:30');
      expect(await total(inIndia)).toBe(1);
      expect(await total(inIndia.replace('+05:30', '+05:31'))).toBe(0);
      expect(await total(site.createdAt.replace('Z', '999999999999Z'))).toBe(1);
      expect(await total('0000-01-01T00:00:00+23:59')).toBe(0);
      expect((await read(site, 'deploys', { at: site.createdAt, page: 2 }).expect(200)).body).toMatchObject({
        items: [],
        page: 2,
        total: 1,
      });
    });

    it.each([
      '',
      'yesterday',
      '1763632440',
      '2026-11-20',
      '2026-11-20T10:54:00',
      '2026-02-30T00:00:00Z',
      '2026-11-20T25:00:00Z',
    ])('%j is refused because it is not a time', async (at) => {
      const { body } = await read(await made(file('index.html', '1')), 'deploys', { at }).expect(400);
      expect(body).toMatchObject({ code: 'invalid_request', errors: [{ path: 'at', message: expect.any(String) }] });
    });

    it('a repeated time parameter is refused', async () => {
      const { body } = await read(await made(file('index.html', '1')), 'deploys?at=2026-11-20T10:54:00Z&at=x').expect(
        400,
      );
      expect(body.errors[0].path).toBe('at');
    });
  });

  describe('comparing two deploys', () => {
    it('comparing two deploys lists added, changed and removed files', async () => {
      const from = await made(file('index.html', '1'), file('same.txt', 'same'), file('gone.txt', 'gone'));
      const to = await redeployed(from, file('index.html', 'two'), file('same.txt', 'same'), file('café/new.txt', 'é'));
      const { body } = await read(from, 'deploys/diff', { from: from.deployId, to: to.deployId }).expect(200);
      expect(body).toEqual({
        added: [{ path: 'café/new.txt', size: 2, sha256: sha256('é') }],
        changed: [{ path: 'index.html', size: 3, sha256: sha256('two') }],
        removed: [{ path: 'gone.txt', size: 4, sha256: sha256('gone') }],
      });

      const { body: back } = await read(from, 'deploys/diff', { from: to.deployId, to: from.deployId }).expect(200);
      expect([back.added, back.removed]).toEqual([body.removed, body.added]);
      expect(back.changed).toEqual([{ path: 'index.html', size: 1, sha256: sha256('1') }]);
    });

    it('a deploy can be compared only with a deploy of the same site', async () => {
      const site = await made(file('index.html', '1'));
      const other = await made(file('index.html', '2'));
      const mine = site.deployId;
      const unknown = `dep_0${randomBytes(15).toString('hex').slice(0, 25)}`;
      for (const deployId of [other.deployId, unknown, 'nonsense', '', `${mine} `, mine.toUpperCase()]) {
        for (const query of [
          { from: mine, to: deployId },
          { from: deployId, to: mine },
        ]) {
          const { body } = await read(site, 'deploys/diff', query).expect(404);
          expect(body.code).toBe('deploy_not_found');
        }
      }
      for (const [query, path] of [
        ['', 'from'],
        [`from=${mine}`, 'to'],
        [`to=${mine}`, 'from'],
        [`from=${mine}&to=a&to=b`, 'to'],
      ]) {
        const { body } = await read(site, `deploys/diff?${query}`).expect(400);
        expect(body).toMatchObject({
          code: 'invalid_request',
          errors: expect.arrayContaining([{ path, message: expect.any(String) }]),
        });
      }
    });
  });

  describe('downloading a deploy as a zip', () => {
    const zipped = async (site: Site, query: object = {}) => {
      const answer = await read(site, 'files.zip', query).responseType('blob').expect(200);
      return { bytes: answer.body as Buffer, headers: answer.headers };
    };

    it('the zip of a deploy contains every file byte for byte, regardless of file name and size', async () => {
      const film = randomBytes(5_000_000);
      const { body: site } = await stele.api
        .post('/v1/deploy')
        .attach('files', film, 'film.bin')
        .attach('files', Buffer.from('<h1>hi</h1>'), 'index.html')
        .attach('files', Buffer.alloc(0), 'empty.txt')
        .attach('files', Buffer.from('menu'), { filepath: 'café/ménü 🦦.txt' } as never)
        .expect(200);

      const { bytes, headers } = await zipped(site);
      expect(headers).toMatchObject({
        'content-type': 'application/zip',
        'content-disposition': `attachment; filename="${site.slug}-1.zip"`,
        'content-length': String(bytes.length),
        'x-content-type-options': 'nosniff',
        'stele-position': expect.stringMatching(/^\d+$/),
      });
      const zip = await fromBufferPromise(bytes, { strictFileNames: true });
      const found = new Map<string, Buffer>();
      const second = new Date(Math.floor(Date.parse(site.createdAt) / 1000) * 1000);
      for await (const entry of zip.eachEntry()) {
        found.set(entry.fileName, await buffer(await zip.openReadStreamPromise(entry)));
        expect(entry.getLastModDate()).toEqual(second);
        const inUtc = entry.getLastModDate({ forceDosFormat: true, timezone: 'UTC' });
        expect(Math.abs(inUtc.getTime() - second.getTime())).toBeLessThanOrEqual(1000);
      }
      expect([...found.keys()]).toEqual(['café/ménü 🦦.txt', 'empty.txt', 'film.bin', 'index.html']);
      expect([...found.values()].map(String).at(-1)).toBe('<h1>hi</h1>');
      expect(found.get('film.bin')!.equals(film)).toBe(true);
    });

    it('the zip of a deploy is identical for each download, and older deploys can also be downloaded', async () => {
      const first = await made(file('index.html', '1'), file('a.txt', 'a'));
      const second = await redeployed(first, file('index.html', '2'));
      const { bytes: live } = await zipped(first);
      expect((await zipped(first, { deployId: second.deployId })).bytes.equals(live)).toBe(true);

      const { bytes: older, headers } = await zipped(first, { deployId: first.deployId });
      expect(headers['content-disposition']).toContain(`${first.slug}-1.zip`);
      expect(older.equals(live)).toBe(false);
      await rolledBack(first, first);
      expect((await zipped(first)).bytes.equals(older)).toBe(true);
    });

    it('a HEAD request for a zip returns the headers of GET', async () => {
      const site = await made(file('index.html', 'x'.repeat(100_000)));
      const { bytes, headers } = await zipped(site);
      const head = await stele.api
        .head(`/v1/sites/${site.slug}/files.zip`)
        .set('x-svc-edit-token', site.editToken)
        .expect(200);
      for (const name of ['content-type', 'content-disposition', 'content-length'])
        expect([name, head.headers[name]]).toEqual([name, headers[name]]);
      expect(head.headers['content-length']).toBe(String(bytes.length));
    });

    it('the zip of a deploy is not available through another site or with an invalid ID', async () => {
      const site = await made(file('index.html', '1'));
      const other = await made(file('index.html', '2'));
      for (const deployId of [other.deployId, 'nonsense', '', '../../x']) {
        expect((await read(site, 'files.zip', { deployId }).expect(404)).body.code).toBe('deploy_not_found');
      }
    });

    it('a client that disconnects during a zip download does not affect others', async () => {
      const site = (await stele.api.post('/v1/deploy').attach('files', randomBytes(20_000_000), 'film.bin').expect(200))
        .body;
      const headers = { 'x-svc-edit-token': site.editToken };
      for (let turn = 0; turn < 20; turn++) {
        const [answer] = (await once(
          get(`${stele.base}/v1/sites/${site.slug}/files.zip`, { headers }),
          'response',
        )) as [IncomingMessage];
        await once(answer, 'data');
        answer.destroy();
      }
      const { bytes, headers: told } = await zipped(site);
      expect(String(bytes.length)).toBe(told['content-length']);
      expect((await stele.api.get('/health').expect(200)).body.status).toBe('ok');
    });
  });

  it.each(['deploys/diff?from=a&to=b', 'files.zip', 'deploys?at=2026-11-20T10:54:00Z'])(
    'only those who can read the site can read %s',
    async (path) => {
      const site = await made(file('index.html', '1'));
      const as = (slug: string, headers = {}) => stele.api.get(`/v1/sites/${slug}/${path}`).set(headers);
      expect((await as('no-such-site').expect(404)).body.code).toBe('site_not_found');
      expect((await as(site.slug).expect(401)).body.code).toBe('unauthenticated');
      expect((await as(site.slug, { 'x-svc-edit-token': strangerToken }).expect(403)).body.code).toBe(
        'edit_token_invalid',
      );
    },
  );
});
