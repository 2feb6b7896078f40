// needs: database, redis

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFiles } from '../support/content/changing-folder.js';
import { bytesLike, digestOf, upload } from '../support/content/uploads.js';
import { RedisServer } from '../support/fleet/redis-server.js';
import { AgentProgram, browserOfPerson, homeOf } from '../support/people/agent-program.js';
import { newestMail, signIn } from '../support/people/sign-in.js';
import { TokenIssuer } from '../support/people/token-issuer.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';

/**
 * Database files, which the search skips, because deleted rows remain in them until they are overwritten. Tables are
 * searched by SQL instead.
 */
const DATABASE = /^postgres\//;

type Bearer = { readonly authorization: string };

/** Part of every name that the user chooses, so that a search finds all of them. */
const CANARY = 'zaunkoenig';
const EMAIL = `${CANARY}-ann@example.org`;

describe('Erasing a user', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let redis: RedisServer;
  let issuer: TokenIssuer;
  let stele: Stele;

  beforeAll(async () => {
    temporary = await temporaryFolder('erased');
    redis = await RedisServer.at();
    await redis.start();
    issuer = await TokenIssuer.open();
    stele = await startStele({
      folder: temporary.folder,
      env: { REDIS_URL: redis.url, STELE_REPO_HOSTS: issuer.listed, STELE_RATE_LIMITS: 'on' },
    });
  }, 60_000);
  afterAll(async () => {
    await stele?.stop();
    issuer?.close();
    await redis?.stop();
    await temporary.remove();
  });

  const bearer = (token: string): Bearer => ({ authorization: `Bearer ${token}` });
  const deploy = async (as: Bearer, query = '') =>
    (await stele.api.post(`/v1/deploy${query}`).set(as).type('html').send('<h1>x</h1>').expect(200)).body;
  const made = async (path: string, as: Bearer, body: object) =>
    (await stele.api.post(path).set(as).send(body).expect(201)).body;
  const hold = async (as: Bearer) => {
    const bytes = bytesLike(2_048);
    const answer = await upload(stele.base, digestOf(bytes), {
      headers: { ...as, 'content-length': bytes.length },
      body: bytes,
    });
    expect(answer?.status).toBe(201);
    return digestOf(bytes);
  };

  /**
   * Creates a user who has left every kind of trace, and returns the strings that must not remain after their erasure.
   */
  async function somebodyWithAPast() {
    const host = await signIn(stele, 'host@example.org');
    const shared = (await deploy(host.bearer)).slug;
    const invite = (slug: string, as: Bearer, email: string, role: string) =>
      made(`/v1/sites/${slug}/invites`, as, { email, role });
    await invite(shared, host.bearer, EMAIL, 'owner');
    const { path } = await newestMail(stele, EMAIL);
    const ann = (await stele.api.get(path).expect(200)).body as { token: string; user: { id: string } };
    const me = bearer(ann.token);
    const { browser } = await browserOfPerson(stele, EMAIL);
    await stele.api
      .patch('/v1/me')
      .set(me)
      .send({ name: `${CANARY} Ann` })
      .expect(200);
    await stele.api
      .post('/v1/waitlist')
      .send({ email: EMAIL, note: `I am ${CANARY}` })
      .expect(200);

    const own = (await deploy(me)).slug;
    await invite(shared, me, 'guest@example.org', 'editor');
    await invite(own, me, `${CANARY}-friend@example.org`, 'viewer');
    const secrets: string[] = [ann.token];
    const digests: string[] = [await hold(me)];
    for (const at of [`/v1/sites/${shared}/tokens`, `/v1/sites/${own}/tokens`, '/v1/me/tokens']) {
      const { token } = await made(at, me, { name: `${CANARY} ${at}`, role: 'editor' });
      secrets.push(token);
      digests.push(await hold(bearer(token)));
    }
    const claims = { repository: `${CANARY}/website` };
    await made(`/v1/sites/${shared}/publishers`, me, { issuer: issuer.url, claims });
    const idToken = await issuer.token({ aud: homeOf(stele), ...claims });
    const { token } = (await stele.api.post('/v1/auth/exchange').send({ idToken, slug: shared }).expect(200)).body;
    secrets.push(token);
    digests.push(await hold(bearer(token)));
    await deploy(bearer(token), `?slug=${shared}`);
    const program = await AgentProgram.registered(stele);
    await program.letIn(browser);
    await stele.api
      .post('/v1/deploy')
      .set({ ...me, 'idempotency-key': `${CANARY}-key` })
      .type('html')
      .send('<h1>once</h1>')
      .expect(200);
    return { me, userId: ann.user.id, shared, host, secrets, digests };
  }

  async function placesOf(texts: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    const look = (where: string, content: string) => {
      const lower = content.toLowerCase();
      if (texts.some((text) => lower.includes(text.toLowerCase()))) found.push(where);
    };
    const tables = await stele.query(`select tablename as name from pg_tables where schemaname = 'public'`);
    for (const { name } of tables)
      for (const { row } of await stele.query(`select t::text as row from "${name}" t`))
        look(`table ${name}`, String(row));
    look('the log', JSON.stringify(await stele.log()));
    look('printed', stele.printed());
    for await (const { path, content } of readFiles(stele.folder, (each) => !DATABASE.test(each)))
      look(`file ${path}`, content.toString('latin1'));
    await redis.ask(async (asked) => {
      for (const key of await asked.keys('*'))
        look('redis', `${key} ${(await asked.dumpBuffer(key))?.toString('latin1')}`);
    });
    return [...new Set(found)].toSorted();
  }

  it('no name, address, token, publisher or pending upload of an erased user remains anywhere', async () => {
    const { me, userId, shared, host, secrets, digests } = await somebodyWithAPast();
    const known = await placesOf([CANARY, ...digests]);
    expect(known).toEqual(expect.arrayContaining(['table people', 'table access_tokens', 'table publishers']));
    expect(known).toEqual(expect.arrayContaining(['table invites', 'table waitlist', 'table held_uploads']));

    await stele.api.delete('/v1/me?sites=delete').set(me).expect(204);
    // The digests of pending uploads remain until unreferenced content is collected.
    expect(await placesOf([CANARY, ...secrets])).toEqual([]);
    expect(await placesOf(digests)).toEqual(['table blobs']);
    for (const secret of secrets) await stele.api.get('/v1/me').set(bearer(secret)).expect(401);
    // The user's ID remains, but it no longer identifies anybody.
    const ofTheLog = /^table (events|snapshots|deploys|history|member|site)/;
    expect((await placesOf([userId])).filter((place) => !ofTheLog.test(place))).toEqual(['printed', 'the log']);
    const { body } = await stele.api.get(`/v1/sites/${shared}/history`).set(host.bearer).expect(200);
    expect(JSON.stringify(body)).not.toContain(CANARY);
  }, 120_000);
});
