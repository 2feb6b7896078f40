import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { conditionalOperations } from '../../../tools/reference/lost-updates.js';
import { expectNone } from '../../support/jest/expect-none.js';
import { type DeployedSite, type Operation, sendOperation } from '../../support/operations/operation.js';
import { operations } from '../../support/operations/operations.js';
import { signIn } from '../../support/people/sign-in.js';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';

type Site = { readonly slug: string; readonly editToken?: string; readonly deployId: string };
type Headers = Record<string, string>;
type Kind = 'content' | 'access' | 'presentation';
type ConditionalOperation = Operation & Required<Pick<Operation, 'ifMatch'>>;

const conditional = operations.filter((each): each is ConditionalOperation => each.ifMatch !== undefined);
const each = conditional.map((operation) => [operation.operation, operation] as const);
const names = conditional.map(({ operation }) => operation);

const OPERATOR = { authorization: 'Bearer operator-token-of-tests' };

describe('If-Match on a site', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let ann: Headers;
  let given = 0;
  beforeAll(async () => {
    temporary = await temporaryFolder('if-match');
    stele = await sharedStele({ folder: temporary.folder });
    ann = (await signIn(stele, 'ann@if-match.example.org')).bearer;
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  const newName = () => `if-match-${++given}`;
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

  const request = async (operation: ConditionalOperation, { slug, deployId }: Site, headers: Headers) => {
    const { body: found } = await stele.api.get(`/v1/sites/${slug}`).set(ann).expect(200);
    const site: DeployedSite = {
      slug,
      deployId,
      liveDeployId: found.deployId,
      visibility: 'public',
      jobId: '',
      once: newName(),
    };
    const body = operation.ifMatch.body ?? operation.body;
    return sendOperation(stele.api, { ...operation, body }, site, headers);
  };

  /**
   * Changes that another client makes after the test has read a revision. Each change has a kind, which determines the
   * requests that fail because of it.
   */
  const changes: Record<string, [change: (site: Site) => Promise<unknown>, kind: Kind | null]> = {
    'a secret is set': [
      ({ slug }) => stele.api.put(`/v1/sites/${slug}/secrets/KEY`).set(ann).send({ value: 'swordfish' }).expect(200),
      null,
    ],
    'a domain is added': [
      ({ slug }) =>
        stele.api
          .post(`/v1/sites/${slug}/domains`)
          .set(ann)
          .send({ hostname: `${slug}.com` })
          .expect(201),
      null,
    ],
    'a member is invited': [
      ({ slug }) =>
        stele.api
          .post(`/v1/sites/${slug}/invites`)
          .set(ann)
          .send({ email: `${slug}@example.org`, role: 'editor' })
          .expect(201),
      null,
    ],
    'a capability is enabled': [
      ({ slug }) =>
        stele.api.post(`/v1/sites/${slug}/capabilities`).set(ann).send({ name: 'spa', enabled: true }).expect(200),
      null,
    ],
    'an access token is created': [
      ({ slug }) =>
        stele.api.post(`/v1/sites/${slug}/tokens`).set(ann).send({ name: 'CI', role: 'editor' }).expect(201),
      null,
    ],
    'a deploy is published': [({ slug }) => patch(slug, ann).expect(200), 'content'],
    'a deploy is stored': [({ slug }) => patch(slug, ann, '&publish=false').expect(200), 'content'],
    'the site is rolled back': [
      ({ slug, deployId }) => stele.api.post(`/v1/sites/${slug}/rollback`).set(ann).send({ deployId }).expect(200),
      'content',
    ],
    'access is changed': [
      ({ slug }) => stele.api.post(`/v1/sites/${slug}/access`).set(ann).send({ visibility: 'members' }).expect(200),
      'access',
    ],
    'the site is taken down and restored': [
      async ({ slug }) => {
        await stele.api.post(`/v1/admin/sites/${slug}/takedown`).set(OPERATOR).send({ reason: 'a test' }).expect(200);
        await stele.api.post(`/v1/admin/sites/${slug}/restore`).set(OPERATOR).expect(200);
      },
      'access',
    ],
    'the site is claimed': [
      ({ slug, editToken }) => stele.api.post('/v1/claim/session').set(ann).send({ slug, editToken }).expect(200),
      'access',
    ],
    'the site is renamed': [
      ({ slug }) => stele.api.post(`/v1/sites/${slug}/rename`).set(ann).send({ slug: newName() }).expect(200),
      'presentation',
    ],
    'details are changed': [
      ({ slug }) => stele.api.patch(`/v1/sites/${slug}`).set(ann).send({ title: 'Changed' }).expect(200),
      'presentation',
    ],
  };

  const cells = Object.entries(changes).flatMap(([name, [change, kind]]) =>
    conditional.map((operation) => {
      const { dependsOn } = operation.ifMatch;
      const isRefused = dependsOn === 'everything' || kind === 'access' || kind === dependsOn;
      return [name, operation.operation, isRefused ? 'fails' : 'succeeds', change, operation] as const;
    }),
  );

  it('this file covers every operation that supports If-Match', async () => {
    const { body } = await stele.api.get('/openapi.json').expect(200);
    const tested = [...names, 'POST /v1/deploy/prepared'];
    expectNone(
      [...conditionalOperations(body).keys()].filter((operation) => !tested.includes(operation)),
      'Add `ifMatch` to the entries of these operations in test/support/operations/',
    );
  });

  it.each(cells)(
    'after a change (%s), the request %s with an older ETag %s',
    async (name, _, expected, change, operation) => {
      const site = await make(name === 'the site is claimed' ? {} : ann);
      const seen = await readRevision(site.slug, site.editToken ? {} : ann);
      await change(site);
      const now = await readRevision(site.slug);
      expect(now).toBeGreaterThan(seen);

      const answer = await request(operation, site, { ...ann, 'if-match': `"${seen}"` });
      if (expected === 'fails') {
        expect(answer.body).toMatchObject({ status: 412, code: 'revision_mismatch' });
        const live = (await stele.api.get(`/v1/sites/${site.slug}`).set(ann).expect(200)).body;
        expect(live.revision).toBe(now);
        expect(answer.body.errors).toEqual([
          { path: 'revision', message: String(now) },
          { path: 'deployId', message: live.deployId },
        ]);
        expect((await request(operation, site, { ...ann, 'if-match': `"${now}"` })).status).toBeLessThan(300);
      } else {
        expect(answer.status).toBe(200);
        const { etag, 'stele-revision': revision } = answer.headers;
        expect(etag ?? `"${revision}"`).toBe(`"${now + 1}"`);
        expect(await readRevision(site.slug)).toBe(now + 1);
      }
    },
  );

  it.each(each)('%s fails if If-Match names a revision that the site has not reached', async (_, operation) => {
    const site = await make(ann);
    const now = await readRevision(site.slug);
    const { body } = await request(operation, site, { ...ann, 'if-match': `"${now + 1}"` });
    expect(body).toMatchObject({ status: 412, code: 'revision_mismatch' });
    expect(body.detail).toContain(`revision ${now}`);
    expect(await readRevision(site.slug)).toBe(now);
  });

  it.each(each)('%s fails if If-Match names revision 0, which no site has', async (_, operation) => {
    const site = await make(ann);
    const { body } = await request(operation, site, { ...ann, 'if-match': '"0"' });
    expect(body).toMatchObject({ status: 412, code: 'revision_mismatch' });
  });

  it.each(each)('%s is refused if If-Match is not a valid site ETag', async (_, operation) => {
    const site = await make(ann);
    for (const header of ['latest', '"7", "8"', '-1', '""', '1.5', '"9999999999999999"']) {
      const { body } = await request(operation, site, { ...ann, 'if-match': header });
      expect(body).toMatchObject({ status: 400, code: 'invalid_request', errors: [{ path: 'if-match' }] });
    }
    expect(await readRevision(site.slug)).toBe(4);
  });

  it('DELETE returns the site’s revision after the deletion', async () => {
    const site = await make(ann);
    const now = await readRevision(site.slug);
    const { status, headers } = await stele.api
      .delete(`/v1/sites/${site.slug}`)
      .set({ ...ann, 'if-match': `"${now}"` });
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
