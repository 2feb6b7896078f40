import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { agentOf, connectorSite } from '../../support/connector/connector-site.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

const OPERATOR = 'operator-token-of-the-tests-0001';
type Bearer = { readonly authorization: string };

const DIGEST = 'a'.repeat(64);
const EDIT_TOKEN = `stele_edit_${'a'.repeat(49)}`;

const named = [
  // Sites that are named in a body, in the path of another route, or on their own host.
  ['POST', '/v1/claim/start', 'no-such', { slug: 'no-such', email: 'ann@example.org', editToken: EDIT_TOKEN }],
  ['POST', '/v1/claim/session', 'no-such', { slug: 'no-such', editToken: EDIT_TOKEN }],
  ['POST', '/v1/repo/deploy', 'no-such', { slug: 'no-such' }],
  ['POST', '/v1/admin/sites/no-such/takedown', 'no-such', { reason: 'Spam' }],
  ['GET', '/claim/no-such', 'no-such'],
  ['POST', '/v1/sites/SITE/domains', 'no-such', { hostname: 'www.example.com', from: 'no-such' }],
  ['PATCH', '/v1/deploy?slug=no-such', 'no-such', { files: [{ path: 'index.html', content: 'x' }] }],
  // Everything else.
  ['GET', '/v1/jobs/job_nothing', 'job_nothing'],
  ['POST', '/v1/jobs/job_nothing/stop', 'job_nothing'],
  ['GET', '/v1/jobs/job_nothing/events', 'job_nothing'],
  ['DELETE', '/v1/sites/SITE/secrets/NO_SUCH', 'NO_SUCH'],
  ['DELETE', '/v1/sites/SITE/domains/www.example.com', 'www.example.com'],
  ['GET', '/v1/sites/SITE/domains/www.example.com/zone', 'www.example.com'],
  ['POST', '/v1/sites/SITE/domains/access', 'www.example.com', { hostname: 'www.example.com', hsts: true }],
  ['POST', '/v1/sites/SITE/domains/www.example.com', 'www.example.com'],
  ['GET', '/v1/sites/SITE/connector/invocations/wrk_nothing', 'wrk_nothing'],
  ['DELETE', '/v1/sites/SITE/connector/tokens/ctk_nothing', 'ctk_nothing'],
  ['DELETE', '/v1/sites/SITE/tokens/tok_nothing', 'tok_nothing'],
  ['DELETE', '/v1/sites/SITE/publishers/pub_nothing', 'pub_nothing'],
  ['DELETE', '/v1/sites/SITE/invites?id=inv_nothing', 'inv_nothing'],
  ['DELETE', '/v1/sites/SITE/members/mem_nothing', 'mem_nothing'],
  ['GET', '/v1/sites/SITE/deploys/dep_nothing/manifest', 'dep_nothing'],
  ['DELETE', '/v1/me/tokens/tok_nothing', 'tok_nothing'],
  ['DELETE', '/v1/me/sessions/ses_nothing', 'ses_nothing'],
  ['DELETE', '/v1/me/grants/grt_nothing', 'grt_nothing'],
  ['GET', '/v1/sites/SITE/deploys/dep_nothing/provenance', 'dep_nothing'],
  ['POST', '/v1/sites/SITE/rollback', 'dep_nothing', { deployId: 'dep_nothing' }],
  ['GET', '/v1/sites/SITE/files/nothing.html', 'nothing.html'],
  ['GET', '/v1/code/templates/nothing/preview', 'nothing'],
  ['GET', '/errors/nothing', 'nothing'],
  ['GET', '/assets/nothing.js', 'nothing'],
  ['PATCH', '/v1/admin/incidents/inc_nothing', 'inc_nothing', { body: 'Slow' }],
  ['POST', '/v1/connector/result/wrk_nothing', 'wrk_nothing', { output: null }],
  ['PUT', '/v1/uploads/not-a-digest', 'not-a-digest'],
  ['POST', '/v1/admin/sessions/end', 'eve@example.org', { user: 'eve@example.org' }],
  ['GET', '/v1/cli/runs/not-a-run/events', 'not-a-run'],
] as const satisfies readonly (readonly [string, string, string, object?])[];

describe('Responses about something that does not exist', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let owner: Bearer;
  let agent: Bearer;
  let slug: string;
  const detailOf = async (method: string, path: string, headers: Bearer, body?: object, type = 'application/json') => {
    const response = await fetch(`${stele.base}${path.replace('SITE', slug)}`, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': type }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    expect(response.status).toBe(404);
    return ((await response.json()) as { readonly detail: string }).detail;
  };

  beforeAll(async () => {
    temporary = await temporaryFolder('not-found');
    stele = await startStele({ folder: temporary.folder, env: { STELE_ADMIN_TOKEN: OPERATOR } });
    const site = await connectorSite(stele);
    owner = site.owner;
    slug = site.slug;
    agent = (await agentOf(stele, site)).bearer;
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  it.each(named.map(([method, path, name, body]) => [method, path, name, body] as const))(
    '%s %s names %s',
    async (method, path, name, body) => {
      const operator = { authorization: `Bearer ${OPERATOR}` };
      const caller = path.startsWith('/v1/admin') ? operator : path.startsWith('/v1/connector') ? agent : owner;
      expect(await detailOf(method, path, caller, body)).toContain(`“${name}”`);
    },
  );

  it('names the digest of an upload', async () => {
    const path = `/v1/uploads/${DIGEST}`;
    expect(await detailOf('PATCH', path, owner, {}, 'application/partial-upload')).toContain(DIGEST);
  });

  it('names the site in the body, and not the one in the path', async () =>
    expect(
      await detailOf('POST', `/v1/sites/${slug}/domains`, owner, { hostname: 'www.example.com', from: 'no-such' }),
    ).not.toContain(slug));

  it('does not repeat a token that was sent instead of its ID', async () => {
    const token = `stele_pat_${'a'.repeat(49)}`;
    for (const path of ['/v1/me/tokens', '/v1/sites/SITE/tokens'])
      expect(await detailOf('DELETE', `${path}/${token}`, owner)).toContain('“stele_pat_…”');
  });
});
