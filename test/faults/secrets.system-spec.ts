// needs: database

import { randomBytes, randomInt } from 'node:crypto';
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client, Pool, type PoolConfig } from 'pg';
import { Vault } from '../../src/accounts/vault.js';
import { databaseUrl } from '../support/database/database-url.js';
import { freshDatabase } from '../support/database/test-database.js';
import { standInAt } from '../support/eventstore/test-store.js';
import { sized } from '../support/jest/sized.js';
import { newestMail, signIn } from '../support/people/sign-in.js';
import { operator } from '../support/service/operator-command.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';

/** The lock that appends take (`src/storage/store/postgres/postgres.schema.ts`). */
const APPEND_LOCK = 7301;
/** The connections of this test's service. Other tests run services on other databases of the same server. */
const OF_SERVICE = "from pg_stat_activity where application_name = 'stele' and datname = current_database()";

type Person = Awaited<ReturnType<typeof signIn>>;

const makeSite = async (stele: Stele, who: Person): Promise<string> =>
  (await stele.api.post('/v1/deploy').set(who.bearer).type('html').send('<h1>Hi</h1>').expect(200)).body.slug;
const put = (stele: Stele, who: Person, slug: string, name: string, value: string) =>
  stele.api.put(`/v1/sites/${slug}/secrets/${name}`).set(who.bearer).send({ value });
const list = async (stele: Stele, who: Person, slug: string) =>
  (await stele.api.get(`/v1/sites/${slug}/secrets`).set(who.bearer).expect(200)).body.items as {
    name: string;
    version: number;
  }[];

async function until(client: Pool | Client, query: string): Promise<void> {
  while ((await client.query(query)).rowCount === 0) await delay(20);
}

describe('Secrets in an external database', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let database: { config: PoolConfig; drop(): Promise<void> };
  let pool: Pool;
  let stele: Stele;
  let ann: Person;
  let env: Record<string, string>;

  beforeEach(async () => {
    temporary = await temporaryFolder('secrets-killed');
    database = await freshDatabase();
    pool = new Pool({ ...database.config, application_name: 'test' });
    env = { DATABASE_URL: databaseUrl(database.config) };
    stele = await startStele({ folder: temporary.folder, env });
    ann = await signIn(stele, 'ann@example.org');
  }, 180_000);
  afterEach(async () => {
    await stele?.stop();
    await pool?.end();
    await database?.drop();
    await temporary.remove();
  });

  const again = async () => {
    stele = await startStele({ folder: temporary.folder, env });
  };
  const rotate = (more: Record<string, string> = {}) =>
    operator('secrets', ['rotate'], { STELE_DATA: temporary.folder, ...env, ...more });
  const keyInFolder = async () => Buffer.from(await readFile(join(temporary.folder, 'master-key'), 'utf8'), 'base64');
  /** Returns every value in the vault, decrypted. */
  async function opened(key: Buffer) {
    const { rows } = await pool.query('select site_id, name, version from vault order by name, version');
    const vault = new Vault(pool, key);
    const values = rows.map(async ({ site_id, name, version }) => {
      return [name, (await vault.values(site_id, new Map([[name, version]]))).get(name)] as const;
    });
    return Object.fromEntries(await Promise.all(values));
  }

  /** Blocks all appends until the returned function is called. A real EventStoreDB cannot be blocked. */
  async function holdAppends(): Promise<() => Promise<unknown>> {
    const standIn = standInAt(stele.eventStoreUrl);
    if (standIn) {
      standIn.goWrong('append', 'silent');
      return async () => standIn.faults.clear();
    }
    const holder = new Client(database.config);
    await holder.connect();
    await holder.query(`begin; select pg_advisory_xact_lock(${APPEND_LOCK})`);
    return () => holder.end();
  }

  it('a secret takes effect only if its event was stored, even if the process is killed while setting the secret', async () => {
    const slug = await makeSite(stele, ann);
    await put(stele, ann, slug, 'TOKEN', 'in force').expect(200);
    const letGo = await holdAppends();
    const lost = Promise.allSettled([put(stele, ann, slug, 'TOKEN', 'lost'), put(stele, ann, slug, 'OTHER', 'lost')]);
    await until(pool, 'select 1 from vault having count(*) = 3');
    await stele.stop('SIGKILL');
    // Ends running statements of the killed process, which would otherwise continue.
    await pool.query(`select pg_terminate_backend(pid) ${OF_SERVICE}`);
    await letGo();
    await lost;

    await again();
    expect(await list(stele, ann, slug)).toMatchObject([{ name: 'TOKEN', version: 1 }]);
    const { body } = await put(stele, ann, slug, 'TOKEN', 'next').expect(200);
    expect(body.version).toBeGreaterThan(2);
    await stele.stop();
    await pool.query("update vault set kept_at = kept_at - interval '2 hours'");
    await again();
    await until(pool, 'select 1 from vault having count(*) = 1');
    expect(await list(stele, ann, slug)).toMatchObject([{ name: 'TOKEN', version: body.version }]);
  }, 180_000);

  it('the master key can be rotated only if no process is running', async () => {
    const slug = await makeSite(stele, ann);
    await put(stele, ann, slug, 'TOKEN', 'a value').expect(200);
    const before = await keyInFolder();
    await stele.api.post('/v1/auth/start').send({ email: 'bob@example.org' }).expect(200);
    const mail = await newestMail(stele, 'bob@example.org');
    const keys = (await stele.api.get('/.well-known/stele-audit-key').expect(200)).body;

    const refused = await rotate().ran;
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('Stop all its processes before')]);
    expect(await keyInFolder()).toEqual(before);
    await stele.stop();

    const done = await rotate().ran;
    expect([done.code, done.err]).toEqual([
      0,
      expect.stringContaining('Encrypted with the new key: 1 secret, 1 audit key.'),
    ]);
    const after = await keyInFolder();
    expect(after.equals(before)).toBe(false);
    expect(await opened(after)).toEqual({ TOKEN: 'a value' });
    expect(await readdir(temporary.folder)).not.toContain('master-key.next');

    await again();
    expect((await stele.api.get('/.well-known/stele-audit-key').expect(200)).body).toEqual(keys);
    expect(await list(stele, ann, slug)).toMatchObject([{ name: 'TOKEN', version: 1 }]);
    await stele.api.get(mail.path).expect(200);
  }, 180_000);

  it('a new master key can be read from the environment, and the service no longer starts with the old key', async () => {
    await stele.stop();
    await pool.query('drop table root_key, audit_keys, vault');
    const [old, next] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
    stele = await startStele({ folder: temporary.folder, env: { ...env, STELE_SECRET_KEY: old } });
    const slug = await makeSite(stele, ann);
    await put(stele, ann, slug, 'TOKEN', 'a value').expect(200);
    await stele.stop();

    const alone = await rotate({ STELE_SECRET_KEY: old }).ran;
    expect([alone.code, alone.err]).toEqual([
      1,
      expect.stringContaining('STELE_SECRET_KEY_NEXT must be set to the new key'),
    ]);
    const wrong = await rotate({ STELE_SECRET_KEY: next, STELE_SECRET_KEY_NEXT: Buffer.alloc(32).toString('base64') })
      .ran;
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('encrypted with a different master key')]);
    const both = { STELE_SECRET_KEY: old, STELE_SECRET_KEY_NEXT: next };
    expect(await rotate(both).ran).toMatchObject({ code: 0, err: expect.stringContaining('1 secret,') });
    expect(await rotate(both).ran).toMatchObject({
      code: 0,
      err: expect.stringContaining('already encrypted with the new key'),
    });

    await expect(startStele({ folder: temporary.folder, env: { ...env, STELE_SECRET_KEY: old } })).rejects.toThrow(
      /encrypted with a different master key[\s\S]*npm run secrets -- rotate/,
    );
    env = { ...env, STELE_SECRET_KEY: next };
    await again();
    expect(await list(stele, ann, slug)).toMatchObject([{ name: 'TOKEN' }]);
    expect(await opened(Buffer.from(next, 'base64'))).toEqual({ TOKEN: 'a value' });
  }, 180_000);

  it('a key rotation that is killed halfway changes nothing, and can be run again', async () => {
    const slug = await makeSite(stele, ann);
    await put(stele, ann, slug, 'TOKEN', 'a value').expect(200);
    await stele.stop();
    const before = await keyInFolder();
    const holder = new Client({ ...database.config, application_name: 'test' });
    await holder.connect();
    await holder.query('begin; lock table vault in row exclusive mode');
    const { child, ran } = rotate();
    await until(pool, `select ${OF_SERVICE} and wait_event_type = 'Lock'`);
    child.kill('SIGKILL');
    expect((await ran).code).toBe('SIGKILL');
    await holder.end();

    await again();
    expect(await keyInFolder()).toEqual(before);
    await put(stele, ann, slug, 'TOKEN', 'another').expect(200);
    await stele.stop();
    expect(await opened(before)).toEqual({ TOKEN: 'another' });
    expect(await rotate().ran).toMatchObject({ code: 0 });
    expect(await opened(await keyInFolder())).toEqual({ TOKEN: 'another' });
  }, 180_000);

  it('if a key rotation changed only the database, the service does not start until the rotation is repeated', async () => {
    const slug = await makeSite(stele, ann);
    await put(stele, ann, slug, 'TOKEN', 'a value').expect(200);
    await stele.stop();
    const file = join(temporary.folder, 'master-key');
    const before = await readFile(file, 'utf8');
    expect(await rotate().ran).toMatchObject({ code: 0 });
    // Simulates a kill before the new master key replaced the old one.
    await rename(file, `${file}.next`);
    await writeFile(file, before);

    await expect(again()).rejects.toThrow(/npm run secrets -- rotate/);
    expect(await rotate().ran).toMatchObject({
      code: 0,
      err: expect.stringContaining('already encrypted with the new key'),
    });
    await again();
    expect(await opened(await keyInFolder())).toEqual({ TOKEN: 'a value' });
    expect(await list(stele, ann, slug)).toMatchObject([{ name: 'TOKEN' }]);
  }, 180_000);

  it('no secret value is lost even if a key rotation is killed repeatedly at random moments', async () => {
    const slug = await makeSite(stele, ann);
    const values = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`N_${n}`, `${n} `.repeat(4_000)]));
    for (const [name, value] of Object.entries(values)) await put(stele, ann, slug, name, value).expect(200);
    await stele.stop();
    for (let round = 0; round < sized(8, 4); round++) {
      const { child, ran } = rotate();
      await delay(randomInt(200, 1_200));
      child.kill('SIGKILL');
      await ran;
    }
    // The database may still be executing statements of the killed command.
    await until(pool, `select 1 where not exists (select ${OF_SERVICE})`);
    expect(await rotate().ran).toMatchObject({ code: 0 });
    expect(await opened(await keyInFolder())).toEqual(values);
    await again();
    expect(await list(stele, ann, slug)).toHaveLength(20);
  }, 180_000);
});

describe('Secrets in the embedded database', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  beforeAll(async () => {
    temporary = await temporaryFolder('secrets-embedded');
    stele = await startStele({ folder: temporary.folder });
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  it('the master key can be rotated only while the service is stopped', async () => {
    const ann = await signIn(stele, 'ann@example.org');
    const slug = await makeSite(stele, ann);
    await put(stele, ann, slug, 'TOKEN', 'a value').expect(200);
    const env = { STELE_DATA: temporary.folder };
    const refused = await operator('secrets', ['rotate'], env).ran;
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('while the service is stopped')]);
    await stele.stop();
    expect(await operator('secrets', ['rotate'], env).ran).toMatchObject({
      code: 0,
      err: expect.stringContaining('1 secret, 1 audit key.'),
    });
    stele = await startStele({ folder: temporary.folder });
    expect(await list(stele, ann, slug)).toMatchObject([{ name: 'TOKEN', version: 1 }]);
    await put(stele, ann, slug, 'TOKEN', 'another').expect(200);
  }, 180_000);
});
