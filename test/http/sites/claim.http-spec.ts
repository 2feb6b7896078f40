import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newestMail, signIn } from '../../support/people/sign-in.js';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';

type Made = { slug: string; editToken: string; claimUrl: string };

describe('Claiming a site', () => {
  let stele: Stele;
  let remove: () => Promise<void>;
  beforeAll(async () => {
    const folder = await temporaryFolder('claim');
    remove = folder.remove;
    stele = await sharedStele({ folder: folder.folder });
  }, 180_000);
  afterAll(async () => {
    await stele.stop();
    await remove();
  });

  const make = async (query = ''): Promise<Made> =>
    (await stele.api.post(`/v1/deploy${query}`).type('html').send('<h1>Anonymous</h1>').expect(200)).body;
  const start = (site: Made, email: string) =>
    stele.api.post('/v1/claim/start').send({ slug: site.slug, email, editToken: site.editToken });
  const code = (of: string) => expect.objectContaining({ code: of });

  it('claiming a slug that contains a NUL returns 404', async () => {
    const refused = await start({ ...(await make()), slug: '\0' }, 'ann.claims@claim.example.org').expect(404);
    expect(refused.body).toEqual(code('site_not_found'));
  });

  it('a claim by mail signs the new owner in and removes the site’s edit token and expiry', async () => {
    const site = await make('?expires=1h');
    const started = await start(site, 'Ann.Claims@claim.example.org').expect(200);
    expect(started.body).toEqual({ status: 'sent', email: 'A•••@claim.example.org', expiresAt: expect.any(String) });
    const { path, text } = await newestMail(stele, 'ann.claims@claim.example.org');
    expect(text).toContain(site.slug);
    const { body } = await stele.api.get(path).expect(200);
    expect(body).toEqual({
      slug: site.slug,
      user: expect.objectContaining({ email: 'ann.claims@claim.example.org' }),
      claimedAt: expect.any(String),
      token: expect.stringMatching(/^stele_session_/),
    });
    const bearer = { authorization: `Bearer ${(body as { token: string }).token}` };
    const shown = await stele.api.get(`/v1/sites/${site.slug}`).expect(200);
    expect(shown.body).toMatchObject({ claimed: true });
    expect(shown.body).not.toHaveProperty('expiresAt');
    const patch = () => stele.api.patch(`/v1/deploy?slug=${site.slug}`).type('html').send('<h1>New</h1>');
    expect((await patch().set('x-svc-edit-token', site.editToken).expect(403)).body).toEqual(
      code('edit_token_invalid'),
    );
    await patch().set(bearer).expect(200);
    expect((await start(site, 'bob@claim.example.org').expect(409)).body).toEqual(code('already_claimed'));
    const mine = await stele.api.get('/v1/me/sites').set(bearer).expect(200);
    expect(mine.body).toMatchObject({ items: [{ slug: site.slug, role: 'owner' }] });
  });

  it('if two users claim a site at the same time, only one becomes its owner', async () => {
    const site = await make();
    await start(site, 'cat@claim.example.org').expect(200);
    await start(site, 'dan@claim.example.org').expect(200);
    const links = [await newestMail(stele, 'cat@claim.example.org'), await newestMail(stele, 'dan@claim.example.org')];
    const answers = await Promise.all(links.map(({ path }) => stele.api.get(path)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const { body } = await stele.api.get(`/v1/sites/${site.slug}`).expect(200);
    const stream = `site-${(body as { id: string }).id}`;
    const told = (await stele.log()).filter((event) => event.stream === stream && event.type === 'SiteClaimed');
    expect(told).toHaveLength(1);
  });

  it('a claim by a signed-in user takes effect immediately', async () => {
    const site = await make();
    const eve = await signIn(stele, 'eve@claim.example.org');
    const send = (token = site.editToken) =>
      stele.api.post('/v1/claim/session').send({ slug: site.slug, editToken: token });
    expect((await send().expect(401)).body).toEqual(code('unauthenticated'));
    expect((await send('stele_edit_x').set(eve.bearer).expect(403)).body).toEqual(code('edit_token_invalid'));
    const { body } = await send().set(eve.bearer).expect(200);
    expect(body).toMatchObject({ slug: site.slug, user: { id: eve.user.id } });
    const again = await send().set(eve.bearer).expect(200);
    expect(again.body).toEqual(body);
  });

  it('no mail is sent for a missing site or a wrong token', async () => {
    const site = await make();
    const other = await make();
    expect((await start({ ...site, slug: 'nothing-here' }, 'f@claim.example.org').expect(404)).body).toEqual(
      code('site_not_found'),
    );
    const swapped = await start({ ...site, editToken: other.editToken }, 'f@claim.example.org').expect(403);
    expect(swapped.body).toEqual(code('edit_token_invalid'));
    expect((await start(site, 'not an address').expect(400)).body).toMatchObject({ errors: [{ path: 'email' }] });
    await expect(newestMail(stele, 'f@claim.example.org')).rejects.toThrow('No mail');
  });

  it('the claim page has the strict headers of the service’s own pages', async () => {
    const site = await make();
    const { pathname } = new URL(site.claimUrl);
    const page = await stele.raw.get(pathname).set('accept', 'text/html').expect(200);
    expect(page.headers['content-security-policy']).toContain(`script-src http://localhost:${stele.port}/assets/`);
    expect(page.text).not.toContain(site.editToken);
    const missing = await stele.raw.get('/claim/nothing-here').set('accept', 'text/html').expect(404);
    expect(missing.headers['content-type']).toContain('text/html');
  });
});
