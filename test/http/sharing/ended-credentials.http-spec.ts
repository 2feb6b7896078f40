import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newestMail, signIn } from '../../support/people/sign-in.js';
import { EventStreamClient } from '../../support/service/event-stream-client.js';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';

type Headers = Record<string, string>;
type Person = Awaited<ReturnType<typeof signIn>>;

/** Somebody who can deploy a site by one credential, and what ends that. */
type Holder = {
  readonly slug: string;
  readonly by: Headers;
  /** For those who have them. */
  readonly memberId?: string;
  readonly email?: string;
  readonly tokenPath?: string;
  readonly session?: Headers;
  readonly editToken?: string;
};

type Ending = {
  readonly end: (holder: Holder) => Promise<unknown>;
  /** Whether the holder can still read what members can: then a stream continues. */
  readonly canStillRead?: true;
};

/** Statuses of a request without a right to the site; a deleted site is gone. */
const REFUSED = [401, 403, 404, 410];

describe('A credential whose right has ended', () => {
  let stele: Stele;
  let remove: () => Promise<void>;
  let ann: Person;
  let people = 0;

  beforeAll(async () => {
    const folder = await temporaryFolder('ended-credentials');
    remove = folder.remove;
    stele = await sharedStele(folder);
    ann = await signIn(stele, 'ann@ended-credentials.example.org');
  }, 60_000);
  afterAll(async () => {
    await stele?.stop();
    await remove();
  });

  const siteOf = async (by: Headers) =>
    (await stele.api.post('/v1/deploy').set(by).type('html').send('before').expect(200)).body as {
      slug: string;
      editToken?: string;
    };
  async function join(slug: string, role: string, email = `holder-${++people}@ended-credentials.example.org`) {
    await stele.api.post(`/v1/sites/${slug}/invites`).set(ann.bearer).send({ email, role }).expect(201);
    const { body } = await stele.api.get((await newestMail(stele, email)).path).expect(200);
    return { email, memberId: String(body.memberId), session: { authorization: `Bearer ${body.token}` } };
  }
  async function issue(path: string, session: Headers) {
    const { body } = await stele.api.post(path).set(session).send({ name: 'ci', role: 'editor' }).expect(201);
    return { tokenPath: `${path}/${body.id}`, by: { authorization: `Bearer ${body.token}` } };
  }

  const holders: Readonly<Record<string, () => Promise<Holder>>> = {
    'session of an editor': async () => {
      const { slug } = await siteOf(ann.bearer);
      const member = await join(slug, 'editor');
      return { slug, ...member, by: member.session };
    },
    'session of a second owner': async () => {
      const { slug } = await siteOf(ann.bearer);
      const member = await join(slug, 'owner');
      return { slug, ...member, by: member.session };
    },
    'token of the site': async () => {
      const { slug } = await siteOf(ann.bearer);
      const member = await join(slug, 'owner');
      return { slug, ...member, ...(await issue(`/v1/sites/${slug}/tokens`, member.session)) };
    },
    'personal token': async () => {
      const { slug } = await siteOf(ann.bearer);
      const member = await join(slug, 'editor');
      return { slug, ...member, ...(await issue('/v1/me/tokens', member.session)) };
    },
    'edit token': async () => {
      const { slug, editToken = '' } = await siteOf({});
      return { slug, editToken, by: { 'x-svc-edit-token': editToken } };
    },
  };

  const membership = ({ slug, memberId }: Holder) => `/v1/sites/${slug}/members/${memberId}`;
  const dismiss = (holder: Holder) => stele.api.delete(membership(holder)).set(ann.bearer).expect(204);
  const endings: Readonly<Record<string, Ending>> = {
    demotion: {
      end: (holder) => stele.api.patch(membership(holder)).set(ann.bearer).send({ role: 'viewer' }).expect(200),
      canStillRead: true,
    },
    removal: { end: dismiss },
    'removal and a return as a viewer': {
      end: async (holder) => {
        await dismiss(holder);
        await join(holder.slug, 'viewer', holder.email);
      },
      canStillRead: true,
    },
    'a claim by somebody else': {
      end: ({ slug, editToken }) =>
        stele.api.post('/v1/claim/session').set(ann.bearer).send({ slug, editToken }).expect(200),
    },
    revocation: {
      end: ({ tokenPath = '', session = {} }) => stele.api.delete(tokenPath).set(session).expect(204),
    },
    'deletion of the account': {
      end: ({ session = {} }) => stele.api.delete('/v1/me').set(session).expect(204),
    },
    'deletion of the site': {
      end: ({ slug, editToken }) => {
        const owner: Headers = editToken === undefined ? ann.bearer : { 'x-svc-edit-token': editToken };
        return stele.api.delete(`/v1/sites/${slug}`).set(owner).expect(204);
      },
    },
  };
  const OF_MEMBERS = ['demotion', 'removal', 'removal and a return as a viewer', 'deletion of the account'];
  const MATRIX: readonly (readonly [string, readonly string[]])[] = [
    ['session of an editor', [...OF_MEMBERS, 'deletion of the site']],
    ['session of a second owner', [...OF_MEMBERS, 'deletion of the site']],
    ['token of the site', [...OF_MEMBERS, 'revocation', 'deletion of the site']],
    ['personal token', [...OF_MEMBERS, 'revocation', 'deletion of the site']],
    ['edit token', ['a claim by somebody else', 'deletion of the site']],
  ];
  const rows = MATRIX.flatMap(([holder, ended]) => ended.map((ending) => [holder, ending] as const));

  it.each(rows)('%s, after %s, publishes nothing, uses no earlier upload and follows nothing', async (whose, how) => {
    const holder = await holders[whose]!();
    const { end, canStillRead = false } = endings[how]!;
    const { slug, by } = holder;
    const redeploy = () => stele.api.patch(`/v1/deploy?slug=${slug}`).set(by);
    const bytes = randomBytes(100);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    await stele.api
      .put(`/v1/uploads/${sha256}`)
      .set({ 'content-type': 'application/octet-stream', ...by })
      .send(bytes)
      .expect(201);
    await redeploy().type('html').send('by the credential').expect(200);
    const watching = new EventStreamClient(`${stele.base}/v1/sites/${slug}/events`, by);
    await watching.until(({ event, data }) => event === 'SiteDeployed' && data.data.number === 2);

    await end(holder);

    if (canStillRead) watching.cut();
    else expect(await watching.closed).toBe(true);
    const written = await redeploy().type('html').send('too late');
    expect(REFUSED).toContain(written.status);
    const uploaded = await redeploy().send({ files: [{ path: 'index.html', sha256 }] });
    expect(REFUSED).toContain(uploaded.status);
    const page = await stele.visit(slug);
    if (how === 'deletion of the site') expect([404, 410]).toContain(page.status);
    else expect(page.text).toBe('by the credential');
  });
});
