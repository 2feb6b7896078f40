import { generateKeyPairSync, hash, sign } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { canonical } from '../../../src/kernel/hashing/canonical.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';
import { verify } from '../../support/sites/audit-verifier.js';
import {
  type AuditedSite,
  askedHistory,
  exportOf,
  keysOf,
  siteWith,
  tamper,
} from '../../support/sites/audited-site.js';

/** The auditor downloads the history and verifies it on another machine. */
describe('The audit trail of a site', () => {
  let stele: Stele;
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let site: AuditedSite;
  let stream: string;

  const file = (name: string) => join(temporary.folder, name);
  const history = (query: Record<string, string | number> = {}) => askedHistory(stele, site, query);
  const exported = () => exportOf(stele, site);
  const save = async (name: string, text: string) => {
    await writeFile(file(name), text);
    return file(name);
  };
  const keys = async () => save('keys.json', await keysOf(stele));
  const events = async () => {
    const { body } = await history({ limit: 100 }).expect(200);
    return body.items.reverse() as { id: string; at: string; revision: number }[];
  };

  beforeAll(async () => {
    temporary = await temporaryFolder('audit');
    stele = await startStele({ folder: join(temporary.folder, 'data') });
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });
  beforeEach(async () => {
    site = await siteWith(stele, 5);
    const { body } = await history({ limit: 1 }).expect(200);
    stream = body.items[0].stream;
  });

  describe('reading the audit trail page by page', () => {
    it('events can be filtered by one or more types', async () => {
      const { body } = await history({ type: 'SiteDeployed', limit: 2, page: 2 }).expect(200);
      expect(body).toMatchObject({ total: 5, page: 2, limit: 2 });
      expect(body.items.map(({ revision }: { revision: number }) => revision)).toEqual([4, 3]);
      expect((await history({ type: 'SiteCreated,SiteDeployed' }).expect(200)).body.total).toBe(6);
      expect((await history({ type: 'SiteRolledBack' }).expect(200)).body).toMatchObject({ items: [], total: 0 });
    });

    it('events can be filtered by the kind or ID of their actor', async () => {
      expect((await history({ actor: 'anonymous' }).expect(200)).body.total).toBe(6);
      expect((await history({ actor: 'system' }).expect(200)).body.total).toBe(0);
      const id = `usr_${'0'.repeat(26)}`;
      // An actor whose name imitates the kind `system`. Without escaping, the filter for this kind would match the
      // actor.
      await tamper(
        stele,
        `update history set actor = '${canonical({ id, kind: 'user', name: '"kind":"system"' })}'
                    where revision in (2, 4) and site_id = '${stream.slice('site-'.length)}'`,
      );
      expect((await history({ actor: id }).expect(200)).body.total).toBe(2);
      expect((await history({ actor: 'user' }).expect(200)).body.total).toBe(2);
      expect((await history({ actor: 'system' }).expect(200)).body.total).toBe(0);
    });

    it('events can be filtered by time: since is inclusive, until is exclusive', async () => {
      const all = await events();
      const at = all[3]!.at;
      const since = (await history({ since: at }).expect(200)).body.total;
      const until = (await history({ until: at }).expect(200)).body.total;
      expect(since).toBe(all.filter((event) => event.at >= at).length);
      expect(since + until).toBe(6);
      expect((await history({ since: at, until: at }).expect(200)).body.total).toBe(0);
      const east = `${new Date(Date.parse(at) + 7_200_000).toISOString().slice(0, -1)}+02:00`;
      expect((await history({ since: east }).expect(200)).body.total).toBe(since);
    });

    it.each([
      ['type', 'SiteExploded'],
      ['type', 'SiteDeployed,'],
      ['type', ''],
      ['actor', 'me@example.org'],
      ['actor', '"'],
      ['actor', 'usr_1'],
      ['since', 'yesterday'],
      ['since', '2026-11-20'],
      ['until', '2026-13-01T00:00:00Z'],
      ['until', '9999-12-31T23:59:59+99:00'],
      ['page', '0'],
      ['limit', '101'],
    ])('%s=%j is refused, and the error names the parameter', async (name, value) => {
      const { body } = await history({ [name]: value }).expect(400);
      expect(body).toMatchObject({ code: 'invalid_request', errors: [expect.objectContaining({ path: name })] });
    });

    it('a time range that ends before it starts is refused, and so is a repeated query parameter', async () => {
      const { body } = await history({ since: '2026-01-02T00:00:00Z', until: '2026-01-01T00:00:00Z' }).expect(400);
      expect(body.errors).toEqual([{ path: 'until', message: 'must not be before `since`' }]);
      const twice = await history().query('since=2026-01-02T00:00:00Z&since=2026-01-01T00:00:00Z').expect(400);
      expect(twice.body.errors[0].path).toBe('since');
    });

    it.each([
      '0000-01-01T00:00:00Z',
      '0001-01-01T00:00:00+23:59',
      '9999-12-31T23:59:59.999999999Z',
      '9999-12-31T23:59:59-23:59',
    ])('events can be filtered by the time %s', async (time) => {
      await history({ since: time }).expect(200);
      await history({ until: time }).expect(200);
    });
  });

  describe('exporting the audit trail as JSON lines', () => {
    it('the export contains all events, oldest first, and ends with a checkpoint', async () => {
      const answer = await history().set('accept', 'application/x-ndjson').buffer(true).expect(200);
      expect(answer.headers).toMatchObject({
        'content-type': 'application/x-ndjson',
        vary: 'accept',
        'content-disposition': `attachment; filename="${site.slug}-history.ndjson"`,
      });
      const lines = (await exported()).split('\n');
      expect(lines.pop()).toBe('');
      const entries = lines.map((line) => JSON.parse(line));
      expect(entries.map(({ revision }) => revision)).toEqual([1, 2, 3, 4, 5, 6, undefined]);
      expect(entries.at(-1)).toEqual({
        checkpoint: { stream, revision: 6, hash: entries.at(-2).hash, at: expect.stringMatching(/Z$/) },
        keyId: expect.any(String),
        publicKey: { kty: 'OKP', crv: 'Ed25519', x: expect.any(String) },
        signature: expect.any(String),
      });
    });

    it('each line of the export contains exactly the string that was hashed', async () => {
      const lines = (await exported()).trimEnd().split('\n').slice(0, -1);
      let previous = '';
      for (const line of lines) {
        // Verifies the line with plain string operations only, as an auditor could in any language.
        const stated = /"hash":"([0-9a-f]{64})",/.exec(line)![1]!;
        const form = line.replace(/"hash":"[0-9a-f]{64}",/, '').replace(/"previousHash":(null|"[0-9a-f]{64}"),/, '');
        expect(hash('sha256', previous + form)).toBe(stated);
        previous = stated;
      }
    });

    it('only those who can read the history can export it', async () => {
      const address = `/v1/sites/${site.slug}/history`;
      const lines = () => stele.api.get(address).set('accept', 'application/x-ndjson');
      await lines().expect(401);
      const other = await siteWith(stele, 1);
      await lines().set('x-svc-edit-token', other.editToken).expect(403);
      await stele.api.get('/v1/sites/nobody-has-this/history').set('accept', 'application/x-ndjson').expect(404);
    });

    it.each([
      'type=SiteDeployed',
      'actor=user',
      'since=2026-01-01T00:00:00Z',
      'until=2026-01-01T00:00:00Z',
      'page=1',
      'limit=5',
    ])('the export can’t be filtered: %s is refused, and the error names the parameter', async (query) => {
      const { body } = await history().query(query).set('accept', 'application/x-ndjson').expect(400);
      expect(body.errors).toEqual([expect.objectContaining({ path: query.split('=')[0] })]);
    });

    it('HEAD returns the content type without computing the export', async () => {
      const { headers } = await stele.api
        .head(`/v1/sites/${site.slug}/history`)
        .set({ accept: 'application/x-ndjson', 'x-svc-edit-token': site.editToken })
        .expect(200);
      expect(headers['content-type']).toBe('application/x-ndjson');
    });
  });

  describe('verifying an export on the auditor’s machine', () => {
    it('an unmodified export passes verification', async () => {
      const export1 = await save('export.ndjson', await exported());
      expect(await verify(export1, '--key', await keys())).toMatchObject({
        code: 0,
        said: expect.stringContaining(`6 events of "${stream}", none changed, missing, added or moved`),
        complained: '',
      });
      expect(await verify(export1, '--key', `${stele.base}/.well-known/stele-audit-key`)).toMatchObject({ code: 0 });
    });

    it('without a public key, an export passes verification, but the verifier does not check who signed it', async () => {
      const { code, said } = await verify(await save('export.ndjson', await exported()));
      expect([code, said]).toEqual([0, expect.stringContaining('The owner of that key was not checked')]);
    });

    it('an export can be verified against an older export, or against the last line of an older export', async () => {
      const text = await exported();
      const older = await save('older.ndjson', text);
      const line = await save('checkpoint.json', text.trimEnd().split('\n').at(-1)!);
      await stele.api
        .post(`/v1/sites/${site.slug}/rollback`)
        .set('x-svc-edit-token', site.editToken)
        .send({ deployId: site.deployId })
        .expect(200);
      const newer = await save('newer.ndjson', await exported());
      for (const since of [older, line]) {
        expect(await verify(newer, '--since', since)).toMatchObject({
          code: 0,
          said: expect.stringContaining('which ends at revision 6'),
        });
      }
      expect(await verify(older, '--since', newer)).toMatchObject({
        code: 1,
        said: expect.stringContaining('The history was cut off'),
      });
    });

    it('an export of another site fails verification', async () => {
      const older = await save('older.ndjson', await exported());
      site = await siteWith(stele, 2);
      expect(await verify(await save('other.ndjson', await exported()), '--since', older)).toMatchObject({
        code: 1,
        said: expect.stringMatching(/line 1: This history belongs to another stream/),
      });
    });
  });

  describe('signing keys', () => {
    it('signing keys survive a restart, and only the operating system user of the service can read the master key', async () => {
      const before = (await stele.api.get('/.well-known/stele-audit-key').expect(200)).body;
      expect(before.keys).toEqual([expect.objectContaining({ kty: 'OKP', crv: 'Ed25519', retiredAt: null })]);
      const { mode } = await stat(join(stele.folder, 'master-key'));
      expect(mode & 0o777).toBe(0o600);
      await stele.stop();
      stele = await startStele({ folder: stele.folder });
      expect((await stele.api.get('/.well-known/stele-audit-key').expect(200)).body).toEqual(before);
    }, 120_000);

    it('a database superuser can’t replace the signing keys', async () => {
      const before = (await stele.api.get('/.well-known/stele-audit-key').expect(200)).body;
      await tamper(
        stele,
        `insert into audit_keys select 'mine', sealed from audit_keys;
                    insert into audit_keys values ('forged', '\\x${'00'.repeat(80)}')`,
      );
      expect((await stele.api.get('/.well-known/stele-audit-key').expect(200)).body).toEqual(before);
      await tamper(stele, `delete from audit_keys where key_id in ('mine', 'forged')`);
    });

    it('a history signed by somebody else with another key is detected', async () => {
      const { privateKey } = generateKeyPairSync('ed25519');
      const { x } = privateKey.export({ format: 'jwk' });
      const lines = (await exported()).trimEnd().split('\n');
      const { checkpoint } = JSON.parse(lines.pop()!);
      const keyId = hash('sha256', canonical({ crv: 'Ed25519', kty: 'OKP', x }), 'base64url');
      const signature = sign(null, Buffer.from(canonical({ checkpoint })), privateKey).toString('base64url');
      const publicKey = { crv: 'Ed25519', kty: 'OKP', x };
      const forged = await save(
        'forged.ndjson',
        `${[...lines, canonical({ checkpoint, keyId, publicKey, signature })].join('\n')}\n`,
      );
      expect(await verify(forged)).toMatchObject({ code: 0, said: expect.stringContaining('was not checked') });
      expect(await verify(forged, '--key', await keys())).toMatchObject({
        code: 1,
        said: expect.stringMatching(
          /line 7: The checkpoint is signed with the key .*, which is not one of the trusted keys/,
        ),
      });
      const real = await save('real.ndjson', await exported());
      expect(await verify(forged, '--since', real)).toMatchObject({
        code: 2,
        complained: expect.stringContaining('are signed with different keys'),
      });
    });

    it('the operator can rotate the signing keys, and signatures made with the previous key stay valid', async () => {
      const older = await save('older.ndjson', await exported());
      const [was] = (await stele.api.get('/.well-known/stele-audit-key').expect(200)).body.keys;
      await stele.stop();
      const { code, said } = await rotated(stele.folder);
      expect([code, said]).toEqual([0, expect.stringContaining(`${was.kid}  created ${was.madeAt}  retired `)]);
      stele = await startStele({ folder: stele.folder });

      const { body } = await stele.api.get('/.well-known/stele-audit-key').expect(200);
      expect(body.keys).toEqual([
        expect.objectContaining({ retiredAt: null }),
        { ...was, retiredAt: body.keys[0].madeAt },
      ]);
      const newer = await save('newer.ndjson', await exported());
      expect(await readFile(newer, 'utf8')).toContain(`"keyId":"${body.keys[0].kid}"`);
      expect(await verify(newer, '--since', older, '--key', await keys())).toMatchObject({ code: 0 });
    }, 120_000);

    it('a process with a different master key refuses to start, because it can’t decrypt the signing keys', async () => {
      await stele.stop();
      const started = startStele({
        folder: stele.folder,
        env: { STELE_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') },
      });
      await expect(started).rejects.toThrow(/were encrypted with a different master key/);
      stele = await startStele({ folder: stele.folder });
    }, 120_000);
  });
});

async function rotated(folder: string) {
  const { execFile } = await import('node:child_process');
  return new Promise<{ code: unknown; said: string }>((resolve) =>
    execFile(
      process.execPath,
      ['dist/bundled/audit-keys.command.js', 'rotate'],
      { env: { STELE_DATA: folder } },
      (error, said) => resolve({ code: error ? error.code : 0, said }),
    ),
  );
}
