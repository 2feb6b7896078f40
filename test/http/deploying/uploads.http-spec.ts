import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bytesLike, digestOf, offsetOf, upload } from '../../support/content/uploads.js';
import { signIn } from '../../support/people/sign-in.js';
import { strangerToken } from '../../support/people/stranger-token.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

const MEBIBYTE = 1_048_576;
const PARTIAL = 'application/partial-upload';

describe('Pending uploads', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;

  beforeAll(async () => {
    temporary = await temporaryFolder('uploads');
    stele = await startStele({
      folder: temporary.folder,
      env: {
        STELE_MAX_FILE_BYTES: String(64 * MEBIBYTE),
        STELE_ANONYMOUS_MAX_BYTES: String(100 * MEBIBYTE),
        STELE_ANONYMOUS_MAX_FILES: '20',
      },
    });
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  const announced = (files: readonly Buffer[]) =>
    files.map((bytes, n) => ({ path: `${n}.bin`, size: bytes.length, sha256: digestOf(bytes) }));
  /** Returns the headers of an anonymous caller whose only credential is the upload token from a preflight. */
  const newcomer = async () => {
    const { body } = await stele.api.post('/v1/cli/preflight').send({ files: announced([Buffer.from('a')]) });
    return { 'x-svc-upload-token': body.uploadToken as string };
  };
  const put = (bytes: Buffer, headers: Record<string, string>, sha256 = digestOf(bytes)) =>
    stele.api
      .put(`/v1/uploads/${sha256}`)
      .set({ 'content-type': 'application/octet-stream', ...headers })
      .send(bytes);
  const patch = (sha256: string, bytes: Buffer, offset: number, complete: string, headers: Record<string, string>) =>
    stele.api
      .patch(`/v1/uploads/${sha256}`)
      .set({ 'content-type': PARTIAL, 'upload-offset': String(offset), 'upload-complete': complete, ...headers })
      .send(bytes);
  const deploy = (entries: readonly object[], headers: Record<string, string> = {}) =>
    stele.api.post('/v1/deploy').set(headers).send({ files: entries });

  const servedDigest = async (slug: string, path: string) => {
    const { body } = await stele.visit(slug, path).responseType('blob').expect(200);
    return digestOf(body);
  };

  it('a preflight recognizes an uploaded file, which can then be deployed by its digest', async () => {
    const me = await newcomer();
    const page = Buffer.from('<h1>Uploaded</h1>');
    const made = await put(page, me).expect(201);
    expect(made.body).toEqual({ sha256: digestOf(page), size: page.length, expiresAt: expect.any(String) });
    const hours = (Date.parse(made.body.expiresAt) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThanOrEqual(24);
    await put(page, me).expect(200);

    const files = announced([page, Buffer.from('not yet')]);
    const preflight = await stele.api.post('/v1/cli/preflight').set(me).send({ files }).expect(200);
    expect(preflight.body.missing).toEqual([digestOf(Buffer.from('not yet'))]);
    expect(preflight.body).not.toHaveProperty('uploadToken');

    const { body } = await deploy([{ path: 'index.html', sha256: digestOf(page) }], me).expect(200);
    expect(body.editToken).toMatch(/^stele_edit_/);
    expect((await stele.visit(body.slug).expect(200)).text).toBe('<h1>Uploaded</h1>');
  });

  it('an upload can be used only by its user or, if it was sent with an edit token, by holders of that token', async () => {
    const ana = await signIn(stele, 'ana@example.org');
    const bob = await signIn(stele, 'bob@example.org');
    const { body: site } = await deploy([{ path: 'index.html', content: 'x' }]).expect(200);
    const edit = { 'x-svc-edit-token': site.editToken as string };
    const token = await newcomer();
    const callers = [ana.bearer, edit, token] as Record<string, string>[];
    const contents = callers.map(() => bytesLike(100));
    for (const [n, bytes] of contents.entries()) await put(bytes, callers[n]!).expect(201);

    for (const [n, bytes] of contents.entries()) {
      const sha256 = digestOf(bytes);
      for (const [m, caller] of [...callers, bob.bearer, await newcomer()].entries()) {
        const answer = await stele.api.head(`/v1/uploads/${sha256}`).set(caller);
        expect([n, m, answer.status]).toEqual([n, m, m === n ? 204 : 404]);
      }
      const thieves = [bob.bearer, await newcomer(), {}];
      for (const thief of thieves) {
        const { body } = await deploy([{ path: 'index.html', sha256 }], thief).expect(422);
        expect(body.code).toBe('blob_missing');
        const files = announced([bytes]);
        const preflight = await stele.api.post('/v1/cli/preflight').set(thief).send({ files }).expect(200);
        expect(preflight.body.missing).toEqual([sha256]);
      }
    }
    await deploy([{ path: 'index.html', sha256: digestOf(contents[0]!) }], ana.bearer).expect(200);
    await stele.api
      .patch('/v1/deploy')
      .query({ slug: site.slug, mode: 'merge' })
      .set(edit)
      .send({ files: [{ path: 'new.bin', sha256: digestOf(contents[1]!) }] })
      .expect(200);
  });

  it('an upload with a missing or invalid credential is refused', async () => {
    const bytes = bytesLike(10);
    const code = async (headers: Record<string, string>) => (await put(bytes, headers).expect(401)).body.code;
    expect(await code({})).toBe('unauthenticated');
    expect(await code({ 'x-svc-edit-token': strangerToken })).toBe('unauthenticated');
    const { 'x-svc-upload-token': token } = await newcomer();
    const changed = token.slice(0, 20) + (token[20] === 'A' ? 'B' : 'A') + token.slice(21);
    for (const wrong of ['', 'x', changed, token.slice(0, -1), `stele_upload_${'z'.repeat(49)}`, strangerToken])
      expect(await code({ 'x-svc-upload-token': wrong })).toBe('unauthenticated');
    // Deploys refuse an invalid token as well, instead of treating the caller as anonymous.
    await deploy([{ path: 'index.html', content: 'x' }], { 'x-svc-upload-token': changed }).expect(401);
  });

  it('an interrupted upload resumes where it stopped', async () => {
    const me = await newcomer();
    const bytes = bytesLike(20 * MEBIBYTE);
    const sha256 = digestOf(bytes);
    await upload(stele.base, sha256, {
      headers: { ...me, 'content-length': bytes.length },
      body: chunksOf(bytes),
      cutAfter: 11 * MEBIBYTE,
    });
    // Polls, because the service stores the received bytes shortly after the connection is lost.
    let offset = 0;
    while (offset < 8 * MEBIBYTE) offset = (await offsetOf(stele.base, sha256, me)) ?? 0;
    const head = await stele.api.head(`/v1/uploads/${sha256}`).set(me).expect(204);
    expect(head.headers).toMatchObject({ 'upload-complete': '?0', 'upload-length': String(bytes.length) });

    // The error for a wrong offset contains the correct offset.
    const early = await patch(sha256, bytes.subarray(0, 10), 0, '?0', me).expect(409);
    offset = Number(early.headers['upload-offset']);
    const next = () => patch(sha256, bytes.subarray(offset, 15 * MEBIBYTE), offset, '?0', me);
    let part = await next();
    for (; part.status === 409; part = await next()) offset = Number(part.headers['upload-offset']);
    expect(part.status).toBe(204);
    expect(part.headers).toMatchObject({ 'upload-offset': String(15 * MEBIBYTE), 'upload-complete': '?0' });
    const wrong = await next();
    expect([wrong.status, wrong.body.code]).toEqual([409, 'conflict']);
    expect(wrong.headers['upload-offset']).toBe(String(15 * MEBIBYTE));
    await patch(sha256, bytes.subarray(15 * MEBIBYTE), 15 * MEBIBYTE, '?1', me).expect(201);
    const there = await stele.api.head(`/v1/uploads/${sha256}`).set(me).expect(204);
    expect(there.headers).toMatchObject({ 'upload-complete': '?1', 'upload-offset': String(bytes.length) });
    await patch(sha256, Buffer.alloc(0), bytes.length, '?1', me).expect(200);

    const { body } = await deploy([{ path: 'big.bin', sha256 }], me).expect(200);
    expect(await servedDigest(body.slug, '/big.bin')).toBe(sha256);
  }, 180_000);

  it('an upload is refused as soon as it differs from its announced size or digest', async () => {
    const me = await newcomer();
    const bytes = bytesLike(1_000);
    const sha256 = digestOf(bytes);
    expect((await put(bytesLike(1_000), me, sha256).expect(422)).body.code).toBe('digest_mismatch');
    await stele.api.head(`/v1/uploads/${sha256}`).set(me).expect(404);
    // A body without Content-Length turns out to be longer than announced.
    const longer = await upload(stele.base, sha256, {
      headers: { ...me, 'upload-length': 1_000, 'transfer-encoding': 'chunked' },
      body: [bytes, Buffer.from('x')],
    });
    expect([longer?.status, longer?.body.code]).toEqual([422, 'digest_mismatch']);
    const unsaid = await upload(stele.base, sha256, {
      headers: { ...me, 'transfer-encoding': 'chunked' },
      body: [bytes],
    });
    expect([unsaid?.status, unsaid?.body.code]).toEqual([400, 'invalid_request']);
    // A size above the limit is refused before any byte is read.
    const huge = await upload(stele.base, sha256, {
      headers: { ...me, 'content-length': 65 * MEBIBYTE },
      body: [Buffer.from('x')],
    });
    expect([huge?.status, huge?.body.code]).toEqual([413, 'too_large']);
    const large = bytesLike(9 * MEBIBYTE);
    const other = digestOf(bytesLike(5));
    expect((await put(large, me, other).expect(422)).body.code).toBe('digest_mismatch');
    await stele.api.head(`/v1/uploads/${other}`).set(me).expect(404);
  }, 180_000);

  it.each([
    ['no offset', { 'upload-complete': '?1' }, 400],
    ['an invalid offset', { 'upload-offset': '-1', 'upload-complete': '?1' }, 400],
    ['an offset beyond the received bytes', { 'upload-offset': '900', 'upload-complete': '?1' }, 409],
    ['no Upload-Complete', { 'upload-offset': '4' }, 400],
    ['an Upload-Complete that is not a boolean', { 'upload-offset': '4', 'upload-complete': 'true' }, 400],
    [
      'more bytes than the announced size',
      { 'upload-offset': '4', 'upload-complete': '?0', 'content-length': '2000' },
      422,
    ],
    ['an end before the announced size', { 'upload-offset': '4', 'upload-complete': '?1', 'content-length': '3' }, 422],
    ['another type', { 'upload-offset': '4', 'upload-complete': '?0', 'content-type': 'text/plain' }, 415],
  ])('an upload can’t be resumed with %s', async (_, headers: Record<string, string>, status) => {
    const me = await newcomer();
    const bytes = bytesLike(1_000);
    const sha256 = digestOf(bytes);
    await put(bytes.subarray(0, 4), { ...me, 'upload-complete': '?0', 'upload-length': '1000' }, sha256).expect(204);
    const length = Number(headers['content-length'] ?? 3);
    const answer = await upload(stele.base, sha256, {
      method: 'PATCH',
      headers: { 'content-type': PARTIAL, 'content-length': length, ...me, ...headers },
      body: bytesLike(length),
    });
    expect([answer?.status, answer?.body.status]).toEqual([status, status]);
    expect(await offsetOf(stele.base, sha256, me)).toBe(4);
    await patch(sha256, bytes.subarray(4), 4, '?1', me).expect(201);
  });

  it('if several requests upload the same content concurrently, the content is stored exactly once', async () => {
    const me = await newcomer();
    const bytes = bytesLike(12 * MEBIBYTE);
    const sha256 = digestOf(bytes);
    const lengths = { 'upload-complete': '?0', 'upload-length': String(bytes.length) };
    await put(bytes.subarray(0, MEBIBYTE), { ...me, ...lengths }, sha256).expect(204);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => patch(sha256, bytes.subarray(MEBIBYTE), MEBIBYTE, '?1', me)),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses.filter((status) => status === 201).length).toBe(1);
    expect(statuses.filter((status) => ![200, 201, 409].includes(status))).toEqual([]);
    const { body } = await deploy([{ path: 'big.bin', sha256 }], me).expect(200);
    expect(await servedDigest(body.slug, '/big.bin')).toBe(sha256);
  }, 180_000);

  it('uploads count against the caller’s size limits, and can be deleted', async () => {
    const me = await newcomer();
    const small = Array.from({ length: 20 }, () => bytesLike(10));
    for (const bytes of small) await put(bytes, me).expect(201);
    expect((await put(bytesLike(10), me).expect(429)).body.code).toBe('quota_exceeded');
    await stele.api
      .delete(`/v1/uploads/${digestOf(small[0]!)}`)
      .set(me)
      .expect(204);
    await put(bytesLike(10), me).expect(201);
    const sizes = { 'upload-complete': '?0', 'upload-length': String(60 * MEBIBYTE) };
    const other = await newcomer();
    await put(Buffer.from('a'), { ...other, ...sizes }, digestOf(bytesLike(1))).expect(204);
    const second = await put(Buffer.from('a'), { ...other, ...sizes }, digestOf(bytesLike(1))).expect(429);
    expect(second.body.code).toBe('quota_exceeded');
  });

  it('an upload under a name that is not a digest is refused', async () => {
    const me = await newcomer();
    for (const name of ['x', 'A'.repeat(64), `${'0'.repeat(63)}.`, '..%2f..%2fetc%2fpasswd', '%2e%2e'])
      await stele.raw.put(`/v1/uploads/${name}`).set(me).send('x').expect(404);
  });

  it('uploads are deleted after a day, or when their user’s account is deleted', async () => {
    const me = await newcomer();
    const bytes = bytesLike(50);
    await put(bytes, me).expect(201);
    await stele.query(`update held_uploads set expires_at = now() - interval '1 second'
      where sha256 = '${digestOf(bytes)}'`);
    await stele.api
      .head(`/v1/uploads/${digestOf(bytes)}`)
      .set(me)
      .expect(404);
    expect((await deploy([{ path: 'a', sha256: digestOf(bytes) }], me).expect(422)).body.code).toBe('blob_missing');

    const carol = await signIn(stele, 'carol@example.org');
    await put(bytesLike(50), carol.bearer).expect(201);
    const held = async () =>
      (await stele.query(`select 1 from held_uploads where holder = 'user ${carol.user.id}'`)).length;
    expect(await held()).toBe(1);
    await stele.api.delete('/v1/me').set(carol.bearer).expect(204);
    expect(await held()).toBe(0);
  });
});

function* chunksOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}
