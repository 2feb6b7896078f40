import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signIn } from '../../support/people/sign-in.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

const operator = { authorization: 'Bearer the-operator-of-this-test' };

describe('Ending a user’s sessions as the operator', () => {
  let stele: Stele;
  let remove: () => Promise<void>;
  beforeAll(async () => {
    const folder = await temporaryFolder('end-sessions');
    remove = folder.remove;
    stele = await startStele({
      folder: folder.folder,
      env: { STELE_ADMIN_TOKEN: 'the-operator-of-this-test', STELE_RATE_LIMITS: 'off' },
    });
  }, 180_000);
  afterAll(async () => {
    await stele.stop();
    await remove();
  });

  const end = (user: unknown, headers: Record<string, string> = operator) =>
    stele.api.post('/v1/admin/sessions/end').set(headers).send({ user });
  const isIn = async ({ bearer }: { readonly bearer: Record<string, string> }) =>
    (await stele.raw.get('/v1/me').set(bearer)).status === 200;

  it('the operator can end a user’s sessions by user ID or email address, and other users keep their sessions', async () => {
    const [first, second, other] = [
      await signIn(stele, 'ann@example.org'),
      await signIn(stele, 'ann@example.org'),
      await signIn(stele, 'ben@example.org'),
    ];
    await end('Ann@Example.org').expect(204);
    expect([await isIn(first), await isIn(second), await isIn(other)]).toEqual([false, false, true]);
    // The user can sign in again, and the new session can be ended as well.
    const third = await signIn(stele, 'ann@example.org');
    await end(third.user.id).expect(204);
    await end(third.user.id).expect(204);
    expect([await isIn(third), await isIn(other)]).toEqual([false, true]);
  });

  it('ending a session also ends the upload URLs that were created in it, except those that depend on an edit token', async () => {
    const { bearer } = await signIn(stele, 'dan@example.org');
    const prepare = async (query: string, headers: Record<string, string>) => {
      const { body } = await stele.api.post(`/v1/deploy/prepared${query}`).set(headers).expect(201);
      return `/v1/deploy/prepared${new URL(body.uploadUrl).search}`;
    };
    const send = (path: string) => stele.api.put(path).type('html').send('<h1>prepared</h1>');
    const { slug } = (await stele.api.post('/v1/deploy').set(bearer).type('html').send('ours').expect(200)).body;
    const { body: unclaimed } = await stele.api.post('/v1/deploy').type('html').send('nobody’s').expect(200);
    const ofSession = [
      await prepare(`?slug=${slug}`, bearer),
      await prepare('', bearer),
      await prepare('?slug=a-new-site-of-dan', bearer),
    ];
    const editToken = { 'x-svc-edit-token': unclaimed.editToken as string };
    const ofEditToken = await prepare(`?slug=${unclaimed.slug}`, { ...bearer, ...editToken });
    await send(await prepare(`?slug=${slug}`, bearer)).expect(200);

    await stele.api.post('/v1/auth/logout').set(bearer).expect(204);
    for (const path of ofSession)
      expect((await send(path).expect(400)).body).toMatchObject({
        code: 'invalid_token',
        detail: 'The session that created this upload URL has ended.',
      });
    await send(ofEditToken).expect(200);
  });

  it('only the operator can end a user’s sessions, and an unknown user is refused', async () => {
    const { user, bearer } = await signIn(stele, 'cat@example.org');
    expect((await end(user.id, {}).expect(401)).body.code).toBe('unauthenticated');
    expect((await end(user.id, bearer).expect(403)).body.code).toBe('forbidden');
    expect(await isIn({ bearer })).toBe(true);
    for (const unknown of ['usr_nobody', 'nobody@example.org'])
      expect((await end(unknown).expect(404)).body.code).toBe('not_found');
    for (const malformed of ['', 'a b', 'a\u0000b', 7, undefined]) {
      const { body } = await end(malformed).expect(400);
      expect([body.code, body.errors[0].path]).toEqual(['invalid_request', 'user']);
    }
  });
});
