import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exportJWK, generateKeyPair } from 'jose';
import { homeOf } from '../../support/people/agent-program.js';
import { signIn } from '../../support/people/sign-in.js';
import { TokenIssuer } from '../../support/people/token-issuer.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

const DISCOVERY = '/.well-known/openid-configuration';
const KEYS = '/.well-known/jwks';

describe('Malicious token issuers', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let bearer: { authorization: string };
  let issuers: TokenIssuer[];
  let taken = 0;
  let inner: TokenIssuer;

  beforeAll(async () => {
    temporary = await temporaryFolder('publishers-hostile');
    issuers = await Promise.all(Array.from({ length: 17 }, () => TokenIssuer.open()));
    inner = await TokenIssuer.open();
    const listed = issuers.map((issuer) => issuer.listed).join(',');
    stele = await startStele({ folder: temporary.folder, env: { STELE_REPO_HOSTS: listed } });
    ({ bearer } = await signIn(stele, 'ann@example.org'));
  }, 180_000);
  afterAll(async () => {
    for (const issuer of [...(issuers ?? []), inner]) issuer?.close();
    await stele?.stop();
    await temporary.remove();
  });

  /** Exchanges a valid token. Its issuer responds to requests for `path` with `answer`. */
  const answered = async (path: string, answer: (response: ServerResponse, issuer: TokenIssuer) => void) => {
    const issuer = issuers[taken++];
    if (!issuer) throw new Error('Open more issuers.');
    issuer.answers.set(path, (response) => answer(response, issuer));
    const { body: site } = await stele.api.post('/v1/deploy').set(bearer).type('html').send('<p>').expect(200);
    const publisher = { issuer: issuer.url, claims: { repository: 'octo-org/website' } };
    await stele.api.post(`/v1/sites/${site.slug}/publishers`).set(bearer).send(publisher).expect(201);
    const idToken = await issuer.token({ aud: homeOf(stele) });
    const { status, body } = await stele.api.post('/v1/auth/exchange').send({ idToken });
    return { status, code: body.code as string, detail: body.detail as string, issuer, idToken };
  };
  const json = (value: object) => (response: ServerResponse) => void response.end(JSON.stringify(value));
  const invalid = { status: 400, code: 'invalid_token' };
  const away = { status: 503, code: 'unavailable' };

  it('a request to an issuer that never responds fails after five seconds, and is not repeated immediately', async () => {
    const { issuer, idToken, ...answer } = await answered(DISCOVERY, () => undefined);
    expect(answer).toMatchObject(away);
    // After a failure, the service does not contact the issuer again for five seconds. If an exchange takes longer than
    // that, the next one contacts the issuer, so the test tries again.
    let isRepeated = true;
    for (let n = 0; n < 3 && isRepeated; n++) {
      const asked = issuer.asked.length;
      await stele.api.post('/v1/auth/exchange').send({ idToken }).expect(503);
      isRepeated = issuer.asked.length > asked;
    }
    expect(isRepeated).toBe(false);
  }, 180_000);

  it('an endless response from an issuer is read only up to a limit', async () => {
    const endless = (response: ServerResponse) => {
      const piece = Buffer.alloc(65_536, ' ');
      const more = () => {
        while (!response.destroyed && response.write(piece));
      };
      response.on('drain', more);
      more();
    };
    expect(await answered(DISCOVERY, endless)).toMatchObject(invalid);
    expect(await answered(KEYS, endless)).toMatchObject(invalid);
  });

  it('an issuer’s redirect to the internal network is not followed', async () => {
    const onward = (response: ServerResponse) => void response.writeHead(302, { location: inner.url }).end();
    expect(await answered(DISCOVERY, onward)).toMatchObject(invalid);
    expect(await answered(KEYS, onward)).toMatchObject(invalid);
    const elsewhere = (response: ServerResponse, { url }: TokenIssuer) =>
      json({ issuer: url, jwks_uri: `${inner.url}${KEYS}` })(response);
    expect(await answered(DISCOVERY, elsewhere)).toMatchObject(invalid);
    const file = (response: ServerResponse, { url }: TokenIssuer) =>
      json({ issuer: url, jwks_uri: 'file:///etc/passwd' })(response);
    expect(await answered(DISCOVERY, file)).toMatchObject(invalid);
    expect(inner.asked).toEqual([]);
  });

  it('an issuer is not trusted if its metadata or keys are invalid, or if it names another issuer', async () => {
    expect(await answered(DISCOVERY, json({ issuer: inner.url, jwks_uri: inner.url }))).toMatchObject(invalid);
    const another = (response: ServerResponse, { url }: TokenIssuer) =>
      json({ issuer: `${url}/`, jwks_uri: `${url}${KEYS}` })(response);
    expect(await answered(DISCOVERY, another)).toMatchObject(invalid);
    expect(await answered(DISCOVERY, (response, { url }) => json({ issuer: url })(response))).toMatchObject(invalid);
    expect(await answered(KEYS, (response) => void response.end('<html>'))).toMatchObject(invalid);
  });

  it('an issuer’s keys are refused if there are too many, or if they are oversized or unusable', async () => {
    const { publicKey } = await generateKeyPair('ES256', { extractable: true });
    const key = await exportJWK(publicKey);
    const many = Array.from({ length: 1_000 }, (_, n) => ({ ...key, kid: `key-${n}` }));
    const { detail, ...answer } = await answered(KEYS, json({ keys: many }));
    expect(answer).toMatchObject(invalid);
    expect(detail).toContain('more than 100 keys');
    const slow = { kty: 'RSA', kid: 'key-1', n: 'x'.repeat(100_000), e: 'x'.repeat(1_000) };
    expect(
      await answered(KEYS, json({ keys: [slow, null, 7, { kty: 'oct', k: 'AAAA', kid: 'key-1' }] })),
    ).toMatchObject(invalid);
  });

  it('if the issuer is unavailable, the token exchange can be retried later', async () => {
    expect(await answered(KEYS, (response) => void response.writeHead(502).end())).toMatchObject(away);
    expect(await answered(KEYS, (response) => void response.destroy())).toMatchObject(away);
  });

  it('concurrent token exchanges fetch an issuer’s keys only once', async () => {
    const issuer = issuers[taken++];
    if (!issuer) throw new Error('Open more issuers.');
    const { body: site } = await stele.api.post('/v1/deploy').set(bearer).type('html').send('<p>').expect(200);
    const publisher = { issuer: issuer.url, claims: { repository: 'octo-org/website' } };
    await stele.api.post(`/v1/sites/${site.slug}/publishers`).set(bearer).send(publisher).expect(201);
    const idTokens = await Promise.all(Array.from({ length: 20 }, () => issuer.token({ aud: homeOf(stele) })));
    const answers = await Promise.all(idTokens.map((idToken) => stele.api.post('/v1/auth/exchange').send({ idToken })));
    expect(answers.map(({ status }) => status)).toEqual(idTokens.map(() => 200));
    // Unknown keys make the service fetch the issuer's keys again, but not once per token.
    const unknown = await Promise.all(
      Array.from({ length: 20 }, (_, n) => issuer.token({ aud: homeOf(stele) }, { header: { kid: `made-up-${n}` } })),
    );
    for (const idToken of unknown) await stele.api.post('/v1/auth/exchange').send({ idToken }).expect(400);
    expect(issuer.asked.filter((path) => path === KEYS).length).toBeLessThanOrEqual(2);
  });
});
