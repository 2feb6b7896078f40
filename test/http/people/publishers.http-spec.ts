import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type CryptoKey, exportSPKI, generateKeyPair, importJWK } from 'jose';
import { homeOf } from '../../support/people/agent-program.js';
import { signIn } from '../../support/people/sign-in.js';
import { type Changes, TokenIssuer } from '../../support/people/token-issuer.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

const seconds = () => Math.floor(Date.now() / 1_000);

describe('Trusted publishers', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let issuer: TokenIssuer;
  let ann: Awaited<ReturnType<typeof signIn>>;
  let slug: string;

  const main = { repository: 'octo-org/website', ref: 'refs/heads/main' };
  const deploy = async (as: { authorization: string }, query = '') =>
    (await stele.api.post(`/v1/deploy${query}`).set(as).type('html').send(`<h1>${Math.random()}</h1>`).expect(200))
      .body;
  const trust = async (claims: object = main, of = slug, as = ann.bearer) =>
    (await stele.api.post(`/v1/sites/${of}/publishers`).set(as).send({ issuer: issuer.url, claims }).expect(201)).body;
  const token = (changes: Changes = {}, more = {}) => issuer.token({ aud: homeOf(stele), ...changes }, more);
  const exchange = (idToken: string, more: object = {}) =>
    stele.api.post('/v1/auth/exchange').send({ idToken, ...more });
  const refused = async (idToken: string, status = 400, code = 'invalid_token') => {
    const { body } = await exchange(idToken).expect(status);
    expect(body.code).toBe(code);
    return body.detail as string;
  };
  const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
  const redeploy = (as: { authorization: string }, of = slug) =>
    stele.api.patch(`/v1/deploy?slug=${of}`).set(as).type('html').send(`<h1>${Math.random()}</h1>`);
  const history = async () =>
    (await stele.api.get(`/v1/sites/${slug}/history`).set(ann.bearer).expect(200)).body.items as {
      type: string;
      summary: string;
      actor: object;
      data: Record<string, string>;
    }[];

  beforeAll(async () => {
    temporary = await temporaryFolder('publishers');
    issuer = await TokenIssuer.open();
    stele = await startStele({ folder: temporary.folder, env: { STELE_REPO_HOSTS: issuer.listed } });
    ann = await signIn(stele, 'ann@example.org');
  }, 180_000);
  beforeEach(async () => {
    slug = (await deploy(ann.bearer)).slug;
  });
  afterAll(async () => {
    issuer?.close();
    await stele?.stop();
    await temporary.remove();
  });

  it('a CI job gets a token for its site that expires after fifteen minutes, and the history names the repository', async () => {
    const publisher = await trust();
    expect(publisher).toEqual({
      id: expect.stringMatching(/^pub_[0-9a-z]{26}$/),
      issuer: issuer.url,
      claims: main,
      createdAt: expect.any(String),
    });
    const list = await stele.api.get(`/v1/sites/${slug}/publishers`).set(ann.bearer).expect(200);
    expect(list.body.items).toEqual([publisher]);
    const before = Date.now();
    const { body } = await exchange(await token(), { slug }).expect(200);
    expect(body).toEqual({
      token: expect.stringMatching(/^stele_pat_\w{49}$/),
      slug,
      role: 'editor',
      expiresAt: expect.any(String),
    });
    expect(Date.parse(body.expiresAt)).toBeGreaterThan(before + 14.9 * 60_000);
    expect(Date.parse(body.expiresAt)).toBeLessThan(Date.now() + 15.1 * 60_000);
    await redeploy(bearer(body.token)).expect(200);
    await stele.api.delete(`/v1/sites/${slug}`).set(bearer(body.token)).expect(403);
    await stele.api.post('/v1/deploy').set(bearer(body.token)).type('html').send('x').expect(403);
    const [deployed, used] = await history();
    expect(deployed?.actor).toEqual({
      kind: 'user',
      id: ann.user.id,
      token: used?.data.tokenId,
      publisher: publisher.id,
      name: 'CI “octo-org/website”',
    });
    expect(used).toMatchObject({ type: 'PublisherUsed', data: { publisherId: publisher.id } });
    const { body: tokens } = await stele.api.get(`/v1/sites/${slug}/tokens`).set(ann.bearer).expect(200);
    expect(tokens.items).toEqual([]);
    // The repository's owner, a user or company, is not recorded.
    expect(JSON.stringify(await stele.log())).not.toMatch(/octo/);
  });

  it('a publisher is bound to the repository’s numeric IDs at first use, so another repository can’t reuse the name', async () => {
    await trust({ repository: 'octo-org/website' });
    await exchange(await token(), { slug }).expect(200);
    const { body } = await stele.api.get(`/v1/sites/${slug}/publishers`).set(ann.bearer).expect(200);
    expect(body.items[0]).toMatchObject({
      claims: { repository: 'octo-org/website', repository_id: '74', repository_owner_id: '65' },
      lastUsedAt: expect.any(String),
    });
    for (const ids of [{ repository_id: '75' }, { repository_owner_id: '66' }, { repository_id: undefined }])
      await exchange(await token(ids), { slug }).expect(400);
    await exchange(await token({ ref: 'refs/heads/next' }), { slug }).expect(200);
  });

  it('if jobs of several repositories use a publisher for the first time concurrently, only one repository can publish', async () => {
    await trust({ repository: 'octo-org/website' });
    const tries = await Promise.all(
      ['1', '2', '3', '4', '5', '6'].map(async (repository_id) => exchange(await token({ repository_id }), { slug })),
    );
    expect(tries.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('a job can exchange its ID token again while it is valid, and each use is recorded', async () => {
    await trust();
    const idToken = await token();
    for (let time = 0; time < 3; time++) await exchange(idToken, { slug }).expect(200);
    const used = (await history()).filter(({ type }) => type === 'PublisherUsed');
    expect(used).toHaveLength(3);
    expect(new Set(used.map(({ data }) => data.proof)).size).toBe(1);
    expect(new Set(used.map(({ data }) => data.tokenId)).size).toBe(3);
    expect(JSON.stringify(used)).not.toContain(idToken.slice(0, 40));
  });

  it('a job must name the site if several sites trust the repository', async () => {
    const { slug: other } = await deploy(ann.bearer);
    await trust({ ...main, workflow: 'two-sites' });
    await trust({ ...main, workflow: 'two-sites' }, other);
    const idToken = await token({ workflow: 'two-sites' });
    const { body } = await exchange(idToken, { slug }).expect(200);
    await redeploy(bearer(body.token), other).expect(403);
    const mine = await stele.api.get('/v1/me/sites').set(bearer(body.token)).expect(200);
    expect(mine.body.total).toBe(1);
    const { slug: third } = await deploy(ann.bearer);
    for (const no of [third, 'no-such-site'])
      expect((await exchange(idToken, { slug: no }).expect(400)).body.code).toBe('invalid_token');
    const several = await exchange(idToken).expect(400);
    expect(several.body).toMatchObject({ code: 'invalid_request', errors: [{ path: 'slug' }] });
  });

  it('removing a publisher revokes the tokens of its jobs', async () => {
    const publisher = await trust();
    const { body } = await exchange(await token(), { slug }).expect(200);
    await stele.api.delete(`/v1/sites/${slug}/publishers/${publisher.id}`).set(ann.bearer).expect(204);
    await redeploy(bearer(body.token)).expect(401);
    await exchange(await token(), { slug }).expect(400);
    await stele.api.delete(`/v1/sites/${slug}/publishers/${publisher.id}`).set(ann.bearer).expect(404);
    expect((await history())[0]?.summary).toBe('Trusted publisher CI “octo-org/website” removed');
  });

  it('erasing the user who registered a publisher removes the publisher', async () => {
    const eve = await signIn(stele, 'eve@example.org');
    const { slug: hers } = await deploy(eve.bearer);
    await trust({ repository: 'eve-org/secret-plans' }, hers, eve.bearer);
    const mine = await token({ repository: 'eve-org/secret-plans' });
    const { body } = await exchange(mine, { slug: hers }).expect(200);
    await stele.api.delete('/v1/me?sites=delete').set(eve.bearer).expect(204);
    await redeploy(bearer(body.token), hers).expect(401);
    await exchange(mine).expect(400);
    for (const { name } of await stele.query(`select tablename as name from pg_tables where schemaname = 'public'`)) {
      const [row] = await stele.query(`select count(*)::int as n from "${name}" t where t::text ilike '%eve-org%'`);
      expect([name, row?.n]).toEqual([name, 0]);
    }
  });

  it('an ID token is refused outside its validity period, or if its audience, issuer, repository or branch is wrong', async () => {
    await trust();
    const good = await token();
    const cases: Record<string, Changes> = {
      'another audience': { aud: 'https://elsewhere.example' },
      'our address with a path': { aud: `${homeOf(stele)}/v1` },
      'no audience': { aud: undefined },
      'several audiences': { aud: [homeOf(stele), 'https://elsewhere.example'] },
      'an audience in capitals': { aud: homeOf(stele).toUpperCase() },
      'another issuer': { iss: 'https://token.actions.githubusercontent.com' },
      'the issuer with a slash': { iss: `${issuer.url}/` },
      'no issuer': { iss: undefined },
      'an issuer that is not a string': { iss: { url: issuer.url } },
      'another repository': { repository: 'octo-org/website2' },
      'a repository whose name has the same beginning': { repository: 'octo-org/website-evil' },
      'a repository in capitals': { repository: 'Octo-Org/Website' },
      'a repository in a list': { repository: ['octo-org/website'] },
      'no repository': { repository: undefined },
      'another branch': { ref: 'refs/heads/main2' },
      'a tag with the same name': { ref: 'refs/tags/main' },
      'no branch': { ref: undefined },
      'an expired token': { exp: seconds() - 60, iat: seconds() - 600 },
      'no expiry': { exp: undefined },
      'a token issued a week ago': { iat: seconds() - 7 * 86_400, exp: seconds() + 600 },
      'issued in the future': { iat: seconds() + 600, exp: seconds() + 900 },
      'not valid yet': { nbf: seconds() + 600, exp: seconds() + 900 },
      'no time of issue': { iat: undefined },
      'no subject': { sub: undefined },
      'an expiry that is a string': { exp: '9999999999' },
    };
    const let_through: string[] = [];
    for (const [what, changes] of Object.entries(cases)) {
      const { status, body } = await exchange(await token(changes), { slug });
      if (status !== 400 || body.code !== 'invalid_token') let_through.push(`${what}: ${status} ${body.code}`);
    }
    expect(let_through).toEqual([]);
    for (const aud of ['https://elsewhere.example', ['https://elsewhere.example', homeOf(stele)]])
      expect(await refused(await token({ aud }))).toContain(`Request a token for ${homeOf(stele)}`);
    await exchange(good, { slug }).expect(200);
  });

  it('an ID token is refused if it is unsigned, contains its own key, or uses the public key as an HMAC secret', async () => {
    await trust();
    const good = await token();
    const [head = '', payload = '', signature = ''] = good.split('.');
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const header = (changes: object) => part({ alg: 'RS256', kid: 'key-1', ...changes });
    const publicPem = await exportSPKI((await importJWK(issuer.jwk, 'RS256', { extractable: true })) as CryptoKey);
    const own = await generateKeyPair('RS256', { extractable: true });
    const hmac = (over: string, key: string) => `${over}.${createHmac('sha256', key).update(over).digest('base64url')}`;
    const forged = {
      'alg none': `${header({ alg: 'none' })}.${payload}.`,
      'alg None': `${header({ alg: 'None' })}.${payload}.`,
      'no signature': `${head}.${payload}.`,
      'half of a signature': `${head}.${payload}.${signature.slice(0, 100)}`,
      'another payload': `${head}.${part({ ...JSON.parse(Buffer.from(payload, 'base64url').toString()), x: 1 })}.${signature}`,
      'HS256 with the public key': hmac(`${header({ alg: 'HS256' })}.${payload}`, publicPem),
      'HS256 with the modulus': hmac(`${header({ alg: 'HS256' })}.${payload}`, (issuer.jwk as { n: string }).n),
      'HS256 with nothing': hmac(`${header({ alg: 'HS256' })}.${payload}`, ''),
      'a key of its own under the same name': await token({}, { key: own.privateKey }),
      'a key of its own in the header': await token(
        {},
        { key: own.privateKey, header: { jwk: { kty: 'RSA', n: 'x', e: 'AQAB' } } },
      ),
      'the address of its own keys': await token(
        {},
        { key: own.privateKey, header: { jku: `${issuer.url}/mine`, kid: 'other' } },
      ),
      'a key that is not there': await token({}, { header: { kid: 'key-2' } }),
      'a critical extension': await token({}, { header: { crit: ['exp'], exp: 1 } }).catch(() => 'x.y.z'),
      'no token at all': 'x',
      'three dots': '...',
      'five parts': `${good}.a.b`,
      'another algorithm': `${header({ alg: 'ES256' })}.${payload}.${signature}`,
    };
    const let_through: string[] = [];
    for (const [what, idToken] of Object.entries(forged)) {
      const { status, body } = await exchange(idToken, { slug });
      if (status !== 400 || body.code !== 'invalid_token') let_through.push(`${what}: ${status} ${body.code}`);
    }
    expect(let_through).toEqual([]);
    expect(issuer.asked).not.toContain('/mine');
    await exchange('x'.repeat(20_000)).expect(400);
    await exchange(good, { slug }).expect(200);
  });

  it('an issuer that no site trusts receives no request', async () => {
    const stranger = await TokenIssuer.open();
    expect(await refused(await stranger.token({ aud: homeOf(stele) }))).toContain('No site trusts the issuer');
    expect(stranger.asked).toEqual([]);
    stranger.close();
  });

  it('a publisher trusts only one repository or project, and the name must match exactly', async () => {
    const github = 'https://token.actions.githubusercontent.com';
    const set = async (body: object) => stele.api.post(`/v1/sites/${slug}/publishers`).set(ann.bearer).send(body);
    const wrong: Record<string, object> = {
      'no claims': { claims: {} },
      'an owner alone': { claims: { repository_owner: 'octo-org' } },
      'a branch alone': { claims: { ref: 'refs/heads/main' } },
      'a star': { claims: { repository: 'octo-org/*' } },
      'a star alone': { claims: { repository: '*' } },
      'a question mark in the branch': { claims: { ...main, ref: 'refs/heads/?' } },
      'a star in the subject': { claims: { sub: 'repo:octo-org/*' } },
      'half of a name': { claims: { repository: 'octo-org' } },
      'an empty name': { claims: { repository: '' } },
      blanks: { claims: { repository: 'octo-org/web site' } },
      'a list': { claims: { repository: ['octo-org/website'] } },
      'a number': { claims: { repository: 74 } },
      'an id that is none': { claims: { repository_id: 'x' } },
      'another audience': { claims: { ...main, aud: 'https://elsewhere.example' } },
      'a name that every object has': { claims: JSON.parse('{"repository":"octo-org/website","__proto__":"x"}') },
      'an unknown field': { claims: main, role: 'owner' },
      'GitHub’s subject alone': { issuer: github, claims: { sub: 'repo:octo-org/website:ref:refs/heads/main' } },
      'GitLab without a project': { issuer: 'https://gitlab.com', claims: { sub: 'project_path:a/b' } },
      'plain http': { issuer: 'http://issuer.example', claims: main },
      'our own machine': { issuer: 'https://127.0.0.1:1', claims: main },
      'our own machine by name': { issuer: 'https://localhost', claims: main },
      'another port of a listed host': { issuer: 'http://127.0.0.1:1', claims: main },
      'an inner address': { issuer: 'https://10.0.0.1', claims: main },
      'the address of clouds': { issuer: 'https://169.254.169.254', claims: main },
      'our own machine in IPv6': { issuer: 'https://[::ffff:127.0.0.1]', claims: main },
      'a password in it': { issuer: `https://a:b@gitlab.com`, claims: main },
      'a query': { issuer: 'https://gitlab.com/?x', claims: main },
      'a file': { issuer: 'file:///etc/passwd', claims: main },
      'no address': { issuer: 'github', claims: main },
    };
    const taken: string[] = [];
    for (const [what, body] of Object.entries(wrong)) {
      const { status, body: said } = await set({ issuer: issuer.url, ...body });
      if (status !== 400 || !said.errors?.[0]) taken.push(`${what}: ${status}`);
    }
    expect(taken).toEqual([]);
  });

  it('only signed-in owners can manage publishers, not scripts with a token', async () => {
    await trust();
    const { body } = await exchange(await token(), { slug }).expect(200);
    const script = bearer(body.token);
    await stele.api.get(`/v1/sites/${slug}/publishers`).set(script).expect(403);
    const more = { issuer: issuer.url, claims: main };
    await stele.api.post(`/v1/sites/${slug}/publishers`).set(script).send(more).expect(403);
  });
});
