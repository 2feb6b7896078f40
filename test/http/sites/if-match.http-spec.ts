import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { expectNone } from '../../support/jest/expect-none.js';
import { signIn } from '../../support/people/sign-in.js';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';

type Site = { readonly slug: string; readonly editToken?: string; readonly deployId: string };
type Headers = Record<string, string>;
type Operation = { readonly parameters?: readonly { readonly name: string; readonly description: string }[] };

const OPERATOR = { authorization: 'Bearer operator-token-of-tests' };

describe('If-Match on a site', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let ann: Headers;
  let names = 0;
  beforeAll(async () => {
    temporary = await temporaryFolder('if-match');
    stele = await sharedStele({ folder: temporary.folder });
    ann = (await signIn(stele, 'ann@if-match.example.org')).bearer;
  }, 60_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  const newName = () => `if-match-${++names}`;
  const patch = (slug: string, headers: Headers, query = '') =>
    stele.api
      .patch(`/v1/deploy?slug=${slug}${query}`)
      .set({ 'content-type': 'text/html', ...headers })
      .send(`<p>${newName()}</p>`);

  /** Creates a site with two deploys. `deployId` belongs to the first. */
  const make = async (headers: Headers): Promise<Site> => {
    const { body } = await stele.api
      .post(`/v1/deploy?slug=${newName()}`)
      .set({ 'content-type': 'text/html', ...headers })
      .send('<p>first</p>')
      .expect(200);
    await patch(body.slug, body.editToken ? { 'x-svc-edit-token': body.editToken } : headers).expect(200);
    return body;
  };
  const readRevision = async (slug: string, headers: Headers = ann) => {
    const { body, headers: answered } = await stele.api.get(`/v1/sites/${slug}`).set(headers).expect(200);
    expect(answered.etag).toBe(`"${body.revision}"`);
    return body.revision as number;
  };

  const requests = {
    'PATCH /v1/deploy': ({ slug }, headers) => patch(slug, headers),
    'POST /v1/deploy': ({ slug }, headers) =>
      stele.api
        .post(`/v1/deploy?slug=${slug}`)
        .set({ 'content-type': 'text/html', ...headers })
        .send(`<p>${newName()}</p>`),
    'POST /v1/sites/{slug}/rollback': async ({ slug, deployId }, headers) => {
      const { body } = await stele.api.get(`/v1/sites/${slug}`).set(ann).expect(200);
      const number = body.deployId === deployId ? 2 : 1;
      return stele.api.post(`/v1/sites/${slug}/rollback`).set(headers).send({ number });
    },
    'POST /v1/sites/{slug}/access': ({ slug }, headers) =>
      stele.api.post(`/v1/sites/${slug}/access`).set(headers).send({ visibility: 'password', password: newName() }),
    'POST /v1/sites/{slug}/rename': ({ slug }, headers) =>
      stele.api.post(`/v1/sites/${slug}/rename`).set(headers).send({ slug: newName() }),
    'PATCH /v1/sites/{slug}': ({ slug }, headers) =>
      stele.api.patch(`/v1/sites/${slug}`).set(headers).send({ title: newName() }),
    'DELETE /v1/sites/{slug}': ({ slug }, headers) => stele.api.delete(`/v1/sites/${slug}`).set(headers),
  } satisfies Record<string, (site: Site, headers: Headers) => PromiseLike<Response>>;
  type Request = keyof typeof requests;

  const publishing = ['PATCH /v1/deploy', 'POST /v1/deploy', 'POST /v1/sites/{slug}/rollback'] as const;
  const settings = ['POST /v1/sites/{slug}/access', 'POST /v1/sites/{slug}/rename', 'PATCH /v1/sites/{slug}'] as const;

  /** Changes that happen after the revision was read, and the requests that then fail. */
  const changes: Record<string, [change: (site: Site) => Promise<unknown>, fails: readonly Request[]]> = {
    'a secret is set': [
      ({ slug }) => stele.api.put(`/v1/sites/${slug}/secrets/KEY`).set(ann).send({ value: 'swordfish' }).expect(200),
      [],
    ],
    'a domain is added': [
      ({ slug }) =>
        stele.api
          .post(`/v1/sites/${slug}/domains`)
          .set(ann)
          .send({ hostname: `${slug}.com` })
          .expect(201),
      [],
    ],
    'a member is invited': [
      ({ slug }) =>
        stele.api
          .post(`/v1/sites/${slug}/invites`)
          .set(ann)
          .send({ email: `${slug}@example.org`, role: 'editor' })
          .expect(201),
      [],
    ],
    'a capability is enabled': [
      ({ slug }) =>
        stele.api.post(`/v1/sites/${slug}/capabilities`).set(ann).send({ name: 'spa', enabled: true }).expect(200),
      [],
    ],
    'an access token is created': [
      ({ slug }) =>
        stele.api.post(`/v1/sites/${slug}/tokens`).set(ann).send({ name: 'CI', role: 'editor' }).expect(201),
      [],
    ],
    'a deploy is published': [({ slug }) => patch(slug, ann).expect(200), publishing],
    'a deploy is stored': [({ slug }) => patch(slug, ann, '&publish=false').expect(200), publishing],
    'the site is rolled back': [
      ({ slug, deployId }) => stele.api.post(`/v1/sites/${slug}/rollback`).set(ann).send({ deployId }).expect(200),
      publishing,
    ],
    'access is changed': [
      ({ slug }) => stele.api.post(`/v1/sites/${slug}/access`).set(ann).send({ visibility: 'members' }).expect(200),
      [...publishing, ...settings],
    ],
    'the site is taken down and restored': [
      async ({ slug }) => {
        await stele.api.post(`/v1/admin/sites/${slug}/takedown`).set(OPERATOR).send({ reason: 'a test' }).expect(200);
        await stele.api.post(`/v1/admin/sites/${slug}/restore`).set(OPERATOR).expect(200);
      },
      [...publishing, ...settings],
    ],
    'the site is claimed': [
      ({ slug, editToken }) => stele.api.post('/v1/claim/session').set(ann).send({ slug, editToken }).expect(200),
      [...publishing, ...settings],
    ],
    'the site is renamed': [
      ({ slug }) => stele.api.post(`/v1/sites/${slug}/rename`).set(ann).send({ slug: newName() }).expect(200),
      settings,
    ],
    'details are changed': [
      ({ slug }) => stele.api.patch(`/v1/sites/${slug}`).set(ann).send({ title: 'Changed' }).expect(200),
      settings,
    ],
  };

  const cells = Object.entries(changes).flatMap(([name, [change, fails]]) =>
    (Object.keys(requests) as Request[]).map((request) => {
      const isRefused = request === 'DELETE /v1/sites/{slug}' || fails.includes(request);
      return [name, request, isRefused ? 'fails' : 'succeeds', change] as const;
    }),
  );

  /**
   * Returns the requests that compare `If-Match`, each with the changes after which it fails, according to
   * `/openapi.json`.
   */
  const readDescribed = async () => {
    const { body } = await stele.api.get('/openapi.json').expect(200);
    const paths = Object.entries(body.paths as Record<string, Record<string, Operation>>);
    return new Map(
      paths.flatMap(([path, operations]) =>
        Object.entries(operations).flatMap(([method, { parameters = [] }]) => {
          const words = parameters
            .find(({ name }) => name === 'if-match')
            ?.description.match(/if, since then, (.*)\.$/)?.[1];
          return words === undefined ? [] : [[`${method.toUpperCase()} ${path}`, words] as const];
        }),
      ),
    );
  };

  it('every request that compares If-Match is tested', async () =>
    expectNone(
      [...(await readDescribed()).keys()].filter(
        (operation) => !(operation in requests) && operation !== 'POST /v1/deploy/prepared',
      ),
      'Add these operations to `requests` in test/http/sites/if-match.http-spec.ts, and to `publishing` or `settings`',
    ));

  it('the table “Lost updates” in the documentation lists the same requests and changes', async () => {
    const chapter = (await readFile('docs/interface/conventions.md', 'utf8')).split('## Lost updates\n')[1] ?? '';
    const rows = [...chapter.split('\n## ')[0]!.matchAll(/^\| (`.*) \| (.*) \|$/gm)];
    const documented = rows.flatMap(([, operations = '', words]) =>
      [...operations.matchAll(/`([A-Z]+ \/[^`]+)`/g)].map(([, operation]) => `${operation}: ${words}`),
    );
    const described = [...(await readDescribed())].map(([operation, words]) => `${operation}: ${words}`);
    const place = 'docs/interface/conventions.md, "Lost updates"';
    expect({ [place]: documented.sort() }).toEqual({ [place]: described.sort() });
  });

  it.each(cells)('after %s, %s %s', async (name, request, expected, change) => {
    const site = await make(name === 'the site is claimed' ? {} : ann);
    const seen = await readRevision(site.slug, site.editToken ? {} : ann);
    await change(site);
    const now = await readRevision(site.slug);
    expect(now).toBeGreaterThan(seen);

    const answer = await requests[request](site, { ...ann, 'if-match': `"${seen}"` });
    if (expected === 'fails') {
      expect(answer.body).toMatchObject({ status: 412, code: 'revision_mismatch' });
      const live = (await stele.api.get(`/v1/sites/${site.slug}`).set(ann).expect(200)).body;
      expect(live.revision).toBe(now);
      expect(answer.body.errors).toEqual([
        { path: 'revision', message: String(now) },
        { path: 'deployId', message: live.deployId },
      ]);
      expect((await requests[request](site, { ...ann, 'if-match': `"${now}"` })).status).toBeLessThan(300);
    } else {
      expect(answer.status).toBe(200);
      const { etag, 'stele-revision': revision } = answer.headers;
      expect(etag ?? `"${revision}"`).toBe(`"${now + 1}"`);
      expect(await readRevision(site.slug)).toBe(now + 1);
    }
  });

  it.each(Object.keys(requests) as Request[])('%s fails if the site has not reached the revision', async (name) => {
    const site = await make(ann);
    const now = await readRevision(site.slug);
    const { body } = await requests[name](site, { ...ann, 'if-match': `"${now + 1}"` });
    expect(body).toMatchObject({ status: 412, code: 'revision_mismatch' });
    expect(body.detail).toContain(`revision ${now}`);
    expect(await readRevision(site.slug)).toBe(now);
  });

  it.each(Object.keys(requests) as Request[])('%s fails for revision 0, which no site has', async (name) => {
    const site = await make(ann);
    const { body } = await requests[name](site, { ...ann, 'if-match': '"0"' });
    expect(body).toMatchObject({ status: 412, code: 'revision_mismatch' });
  });

  it.each(Object.keys(requests) as Request[])('%s is refused if If-Match is not the ETag of a site', async (name) => {
    const site = await make(ann);
    for (const header of ['latest', '"7", "8"', '-1', '""', '1.5', '"9999999999999999"']) {
      const { body } = await requests[name](site, { ...ann, 'if-match': header });
      expect(body).toMatchObject({ status: 400, code: 'invalid_request', errors: [{ path: 'if-match' }] });
    }
    expect(await readRevision(site.slug)).toBe(4);
  });

  it('DELETE returns the revision of the deletion', async () => {
    const site = await make(ann);
    const now = await readRevision(site.slug);
    const { status, headers } = await requests['DELETE /v1/sites/{slug}'](site, { ...ann, 'if-match': `"${now}"` });
    expect(status).toBe(204);
    expect(headers['stele-revision']).toBe(String(now + 1));
  });

  it('the ETag is compared again when a prepared deploy is uploaded', async () => {
    const site = await make(ann);
    const prepare = async () => {
      const now = await readRevision(site.slug);
      const { body } = await stele.api
        .post(`/v1/deploy/prepared?slug=${site.slug}`)
        .set({ ...ann, 'if-match': `"${now}"` })
        .expect(201);
      return body;
    };
    const send = ({ uploadUrl }: { uploadUrl: string }) => {
      const { pathname, search } = new URL(uploadUrl);
      return stele.api
        .put(pathname + search)
        .set('content-type', 'text/html')
        .send(`<p>${newName()}</p>`);
    };
    const [first, second] = [await prepare(), await prepare()];
    await stele.api.put(`/v1/sites/${site.slug}/secrets/KEY`).set(ann).send({ value: 'swordfish' }).expect(200);
    await send(first).expect(200);
    expect((await send(second).expect(412)).body.code).toBe('revision_mismatch');
  });
});
