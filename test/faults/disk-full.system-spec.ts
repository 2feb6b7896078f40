// needs: database

import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { zipOf } from '../support/content/archives.js';
import { digestOf, offsetOf } from '../support/content/uploads.js';
import { databaseUrl } from '../support/database/database-url.js';
import { freshDatabase } from '../support/database/test-database.js';
import { canSetUpDisks, SmallDisk } from '../support/faults/small-disk.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';
import { faultsOfChain, historyOf } from '../support/sites/history.js';

jest.setTimeout(240_000);

const MEBIBYTE = 1024 * 1024;

const noise = (bytes: number) => randomBytes(bytes / 2).toString('hex');

// Only root can mount the small disk that the tests fill.
const asRoot = canSetUpDisks ? describe : describe.skip;

asRoot('A service whose disk is full', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let disk: SmallDisk;
  let stele: Stele;

  beforeEach(async () => {
    temporary = await temporaryFolder('disk-full');
  });
  afterEach(async () => {
    const ended = stele.child.exitCode ?? stele.child.signalCode;
    await stele.stop();
    disk.remove();
    await temporary.remove();
    expect(ended).toBe(null);
  });

  const post = () => stele.api.post('/v1/deploy');
  const page = (text: string) => post().type('html').send(text);
  const patch = ({ slug, editToken }: Site, query = '') =>
    stele.api.patch(`/v1/deploy?slug=${slug}${query}`).set('x-svc-edit-token', editToken);

  type Site = { readonly slug: string; readonly editToken: string; readonly deployId: string };

  const expectFull = (answer: { status: number; body: unknown; headers: Record<string, string> }) => {
    expect([answer.status, answer.body]).toMatchObject([507, { status: 507, code: 'storage_full', retryable: true }]);
    expect(answer.headers['content-type']).toMatch('application/problem+json');
  };

  /** Checks that the site shows this text, and that its deploys and its history consist of exactly these deploys. */
  async function expectOnly(site: Site, text: string, deployIds: readonly string[]) {
    expect((await stele.visit(site.slug).expect(200)).text).toBe(text);
    const { body: list } = await stele.api
      .get(`/v1/sites/${site.slug}/deploys?limit=100`)
      .set('x-svc-edit-token', site.editToken)
      .expect(200);
    expect(list.items.map(({ deployId }: Site) => deployId)).toEqual(deployIds);
    const history = await historyOf(stele, site.slug, site.editToken);
    const deployed = history.filter(({ type }) => type === 'SiteDeployed').map(({ data }) => data.deployId);
    expect(deployed.slice(-deployIds.length)).toEqual([...deployIds].reverse());
  }

  describe('When the content disk is full', () => {
    let database: Awaited<ReturnType<typeof freshDatabase>>;
    let data: string;

    beforeEach(async () => {
      database = await freshDatabase();
      data = join(temporary.folder, 'data');
      disk = await SmallDisk.on(data, 8 * MEBIBYTE);
      stele = await startStele({
        folder: data,
        env: { DATABASE_URL: databaseUrl(database.config), TMPDIR: join(temporary.folder, 'not-there') },
      });
    });
    afterEach(() => database.drop());

    const large = () => randomBytes(10 * MEBIBYTE);
    const asForm = (content: Buffer) => ({
      type: 'multipart/form-data; boundary=x',
      body: Buffer.concat([
        Buffer.from('--x\r\ncontent-disposition: form-data; name="files"; filename="film.bin"\r\n\r\n'),
        content,
        Buffer.from('\r\n--x--\r\n'),
      ]),
    });
    const asJson = (content: Buffer) => ({
      type: 'application/json',
      body: JSON.stringify({ files: [{ content: content.toString('base64'), encoding: 'base64', path: 'film.bin' }] }),
    });
    const asZip = (content: Buffer) => ({
      type: 'application/zip',
      body: zipOf([{ path: 'film.bin', content, stored: true }]),
    });
    const asPage = (content: Buffer) => ({ type: 'text/html', body: content });

    it.each([
      ['a form', asForm],
      ['JSON', asJson],
      ['a zip', asZip],
      ['a page', asPage],
    ])(
      'a deploy as %s that does not fit on the disk is refused, but the site stays online and smaller deploys work',
      async (_, form) => {
        const { body: site } = await page('<h1>Before</h1>').expect(200);

        const { type, body } = form(large());
        expectFull(await patch(site).type(type).send(body));
        expectFull(await post().type(type).send(body));
        await expectOnly(site, '<h1>Before</h1>', [site.deployId]);

        const small = form(randomBytes(MEBIBYTE));
        await post().type(small.type).send(small.body).expect(200);
        await patch(site).type(small.type).send(small.body).expect(200);
        expect(await readdir(join(data, 'incoming'))).toEqual([]);
      },
    );

    it('an upload that does not fit on the disk is refused, and can be resumed once there is space', async () => {
      const { body: site } = await page('<h1>Before</h1>').expect(200);
      const me = { 'x-svc-edit-token': site.editToken };
      const bytes = randomBytes(6 * MEBIBYTE);
      const sha256 = digestOf(bytes);
      const patchFrom = (offset: number, to: number, complete: '?0' | '?1') =>
        stele.api
          .patch(`/v1/uploads/${sha256}`)
          .set({ 'content-type': 'application/partial-upload', 'upload-offset': String(offset), ...me })
          .set({ 'upload-complete': complete })
          .send(bytes.subarray(offset, to));
      const begun = stele.api.put(`/v1/uploads/${sha256}`).set({ 'upload-complete': '?0', ...me });
      await begun
        .set({ 'content-type': 'application/octet-stream', 'upload-length': String(bytes.length) })
        .send(bytes.subarray(0, MEBIBYTE))
        .expect(204);
      const makeRoom = await disk.fill();
      expectFull(await patchFrom(MEBIBYTE, 3 * MEBIBYTE, '?0'));
      expect(await offsetOf(stele.base, sha256, me)).toBe(MEBIBYTE);

      await makeRoom();
      await patchFrom(MEBIBYTE, 2 * MEBIBYTE, '?0').expect(204);
      expect(await offsetOf(stele.base, sha256, me)).toBe(2 * MEBIBYTE);
    });

    it('deploys are refused while the disk is full, and accepted again when there is space', async () => {
      const { body: site } = await page('<h1>Before</h1>').expect(200);
      let live = site.deployId;
      const deploys = [site.deployId];
      let text = '<h1>Before</h1>';
      for (let n = 0; n < 100; n++) {
        const next = `<p>${noise(400_000)}</p>`;
        const answer = await patch(site).type('html').send(next);
        if (answer.status !== 200) {
          expectFull(answer);
          break;
        }
        live = answer.body.deployId;
        deploys.unshift(live);
        text = next;
      }
      expect(deploys.length).toBeGreaterThan(10);
      const makeRoom = await disk.fill();

      const after = `<h1>After</h1>${noise(10_000)}`;
      const key = 'tried-on-a-full-disk';
      const again = () => patch(site).set('idempotency-key', key).type('html').send(after);
      const refused = await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          patch(site)
            .type('html')
            .send(`${n}${noise(10_000)}`),
        ),
      );
      for (const answer of [...refused, await page(noise(10_000)), await again()]) expectFull(answer);
      await expectOnly(site, text, deploys);

      await makeRoom();
      const { body } = await again().expect(200);
      await expectOnly(site, after, [body.deployId, ...deploys]);
      await page('<h1>New</h1>').expect(200);
    });
  });

  describe('When the database disk is full', () => {
    beforeEach(async () => {
      const data = join(temporary.folder, 'data');
      disk = await SmallDisk.on(join(data, 'postgres'), 160 * MEBIBYTE);
      stele = await startStele({ folder: data });
    });

    it('requests that can’t be stored are refused, and the service recovers when there is space', async () => {
      const { body: site } = await page('<h1>Before</h1>').expect(200);
      const makeRoom = await disk.fill();

      const deploys = [site.deployId];
      let text = '<h1>Before</h1>';
      const refused: number[] = [];
      const keyed = (n: number) =>
        page(`<p>${n}</p>`)
          .query({ message: 'm'.repeat(200) })
          .set('idempotency-key', `a-request-of-its-own-number-${n}`);
      const named = (n: number) => page(`<p>${n}</p>`).query({ slug: `wanted-${n}`, message: 'm'.repeat(200) });
      const kinds = [keyed, named, (n: number) => patch(site).type('html').send(`<p>${n}</p>`)];
      for (let n = 0; n < 6000 && refused.length < 40; n++) {
        const answer = await kinds[n % 3]!(n);
        if (answer.status !== 200) {
          expectFull(answer);
          if (n % 3 < 2) refused.push(n);
        } else if (n % 3 === 2) {
          deploys.unshift(answer.body.deployId);
          text = `<p>${n}</p>`;
        }
      }
      expect(refused).toHaveLength(40);
      expect((await stele.visit(site.slug).expect(200)).text).toBe(text);

      await makeRoom();
      const { body: after } = await patch(site).type('html').send('<h1>After</h1>').expect(200);
      for (const n of refused) await kinds[n % 3]!(n).expect(200);
      await expectOnly(site, '<h1>After</h1>', [after.deployId, ...deploys].slice(0, 100));
      expect(faultsOfChain(await historyOf(stele, site.slug, site.editToken))).toEqual([]);
    });

    it('clients are told to retry while the database can’t write its log, and the service recovers afterwards', async () => {
      const { body: site } = await page('<h1>Before</h1>').expect(200);
      const makeRoom = await disk.fill();
      // Each statement starts a new WAL segment, until PostgreSQL has no space left and shuts down.
      const journal = async () => {
        for (let n = 0; n < 50; n++)
          await stele.query("select pg_logical_emit_message(false, '', 'x'), pg_switch_wal()");
      };
      await expect(journal()).rejects.toThrow();

      const keyed = () => patch(site).set('idempotency-key', 'not-yet-then').type('html').send('<h1>After</h1>');
      const [read, ...refused] = await Promise.all([
        stele.api.get(`/v1/sites/${site.slug}`),
        patch(site).type('html').send('<h1>Not now</h1>'),
        keyed(),
        stele.api.post('/v1/waitlist').send({ email: 'ann@example.org' }),
      ]);
      for (const answer of refused) {
        expect([answer.status, answer.body.code]).toEqual([503, 'unavailable']);
        expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      }
      // A read may succeed while PostgreSQL shuts down, or after it has recovered.
      expect([200, 503]).toContain(read.status);
      expect((await stele.visit(site.slug).expect(200)).text).toBe('<h1>Before</h1>');

      await makeRoom();
      await eventually(async () => (await stele.raw.get('/ready')).status === 200);
      const { body: after } = await keyed().expect(200);
      await expectOnly(site, '<h1>After</h1>', [after.deployId, site.deployId]);
    });
  });
});

async function eventually(so: () => Promise<boolean>): Promise<void> {
  while (!(await so())) await new Promise((resolve) => setTimeout(resolve, 100));
}
