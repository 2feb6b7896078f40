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
