import { describe, expect, it } from '@jest/globals';
import { type Asked, explained } from '../support/histories/explain.js';
import { outcomesOf } from '../support/histories/outcomes.js';
import { type Act, type AskedAct, type Model, nothing } from '../support/histories/site-model.js';

const asked = (
  act: Act,
  told: string | null,
  revision: number | null = null,
  ifRevision: number | null = null,
): Asked => ({
  act: { ...act, ifRevision } as AskedAct,
  answer: told === null ? null : { told, revision },
});
const patch = (mark: string): Act => ({ kind: 'patch', by: 'ann', slug: 'a', mark, publish: true });
const post = (by: 'ann' | 'ben', mark: string): Act => ({ kind: 'post', by, slug: 'a', mark });

describe('Finding an order of requests that explains the observed responses', () => {
  const [first] = outcomesOf(nothing, { ...post('ann', 'm1'), ifRevision: null } as AskedAct);
  const site: Model = first?.model ?? nothing;
  const both = { m1: ['SiteDeployed 2 m2', 'SiteDeployed 3 m3'] };

  it('an order of two concurrent requests is valid if it matches the log and the reported revisions', () => {
    const done = [asked(patch('m3'), '200', 5), asked(patch('m2'), '200', 4)];
    expect(explained(site, done, both)?.sites.m1).toMatchObject({ live: 3, revision: 5 });
    expect(explained(site, [asked(patch('m3'), '200', 4), asked(patch('m2'), '200', 5)], both)).toBeNull();
  });

  it('only one of two requests with the same If-Match can succeed', () => {
    const second = asked(patch('m3'), '412 revision_mismatch', null, 3);
    const recorded = { m1: ['SiteDeployed 2 m2'] };
    expect(explained(site, [asked(patch('m2'), '200', 4, 3), second], recorded)).not.toBeNull();
    expect(explained(site, [asked(patch('m2'), '200', 4, 3), asked(patch('m3'), '200', 5, 3)], both)).toBeNull();
  });

  it('a request with an outdated If-Match can succeed unless data that the request depends on has changed', () => {
    const describe: Act = { kind: 'describe', by: 'ann', slug: 'a', title: 'x' };
    const rename: Act = { kind: 'rename', by: 'ann', slug: 'a', newSlug: 'b' };
    const described = [asked(describe, '200', 4)];
    const recorded = { m1: ['SiteDescribed x', 'SiteDeployed 2 m2'] };
    expect(explained(site, [...described, asked(patch('m2'), '200', 5, 3)], recorded)).not.toBeNull();
    const late = [...described, asked(rename, '200', 5, 3)];
    expect(explained(site, late, { m1: ['SiteDescribed x', 'SiteRenamed b'] })).toBeNull();
    expect(explained(site, [asked(patch('m2'), '200', 4, 9)], { m1: ['SiteDeployed 2 m2'] })).toBeNull();
    const del: Act = { kind: 'delete', by: 'ann', slug: 'a' };
    expect(
      explained(site, [...described, asked(del, '204', 5, 3)], { m1: ['SiteDescribed x', 'SiteDeleted'] }),
    ).toBeNull();
  });

  it('an acknowledged request must have taken effect, and a request without a response may have', () => {
    const recorded = { m1: ['SiteDeployed 2 m2'] };
    expect(explained(site, [asked(patch('m2'), null)], recorded)?.sites.m1?.live).toBe(2);
    expect(explained(site, [asked(patch('m2'), null)], {})?.sites.m1?.live).toBe(1);
    expect(explained(site, [asked(patch('m2'), '200', 4)], {})).toBeNull();
  });

  it('only one of two requests gets a slug, and a slug may stay reserved for a while after a failed request', () => {
    const made = { m2: ['SiteCreated a', 'MemberAdded ben owner', 'SiteDeployed 1 m2'] };
    expect(
      explained(nothing, [asked(post('ann', 'm1'), '409 slug_taken'), asked(post('ben', 'm2'), '200')], made),
    ).not.toBeNull();
    const lost = explained(nothing, [asked(post('ann', 'm1'), null)], {}) ?? nothing;
    expect(explained(lost, [asked(post('ben', 'm2'), '409 slug_taken')], {})).not.toBeNull();
    expect(explained(nothing, [asked(post('ben', 'm2'), '409 slug_taken')], {})).toBeNull();
  });

  it('a request for a slug can be refused because another site of the user has just taken the slug', () => {
    const second: Act = { kind: 'post', by: 'ann', slug: 'c', mark: 'm3' };
    const rename: Act = { kind: 'rename', by: 'ann', slug: 'a', newSlug: 'c' };
    const renamed = { m1: ['SiteRenamed c'] };
    expect(explained(site, [asked(rename, '200', 4), asked(second, '409 slug_taken')], renamed)).not.toBeNull();
    expect(explained(site, [asked(rename, '200', 4), asked(second, '200', 5)], renamed)).toBeNull();
    const made = { m2: ['SiteCreated c', 'MemberAdded ann owner', 'SiteDeployed 1 m2'] };
    const first: Act = { ...second, mark: 'm2' };
    expect(explained(site, [asked(first, '200'), asked(second, '409 slug_taken')], made)).not.toBeNull();
    // Two cases that no order of the requests explains. In the first, no site got the slug. In the second, a site had
    // the slug before both requests.
    expect(explained(site, [asked(rename, '403 forbidden'), asked(second, '409 slug_taken')], {})).toBeNull();
    const late = [asked(patch('m2'), '200', 4), asked({ ...second, slug: 'a' }, '409 slug_taken')];
    expect(explained(site, late, { m1: ['SiteDeployed 2 m2'] })).toBeNull();
  });

  it('private sites are hidden from everybody without access', () => {
    const hidden = explained(
      site,
      [asked({ kind: 'access', by: 'ann', slug: 'a', visibility: 'members', password: null }, '200')],
      {
        m1: ['SiteAccessSet members'],
      },
    );
    const bens: Act = { kind: 'describe', by: 'ben', slug: 'a', title: 'x' };
    expect(explained(hidden ?? nothing, [asked(bens, '404 site_not_found')], {})).not.toBeNull();
    expect(explained(hidden ?? nothing, [asked(bens, '403 forbidden')], {})).toBeNull();
  });

  it('the order of requests determines the current password, and password protection requires a password', () => {
    const opening = (password: string | null): Act => ({
      kind: 'access',
      by: 'ann',
      slug: 'a',
      visibility: 'password',
      password,
    });
    expect(explained(site, [asked(opening(null), '400 invalid_request')], {})).not.toBeNull();
    const both = [asked(opening('x'), '200', 5), asked(opening('y'), '200', 4)];
    const recorded = { m1: ['SiteAccessSet password 1', 'SiteAccessSet password 2'] };
    expect(explained(site, both, recorded)?.sites.m1?.password).toEqual({ n: 2, text: 'x' });
  });

  it('a script can use the role of its token until the token is revoked', () => {
    const made = explained(site, [asked({ kind: 'makeToken', by: 'ann', slug: 'a', role: 'viewer' }, '201')], {
      m1: ['AccessTokenIssued ann viewer'],
    });
    const byScript: Act = { ...patch('m2'), by: { scriptOf: 'm1', n: 1 } };
    expect(explained(made ?? nothing, [asked(byScript, '403 forbidden')], {})).not.toBeNull();
    const ended = explained(made ?? nothing, [asked({ kind: 'endToken', by: 'ann', slug: 'a', n: 1 }, '204')], {
      m1: ['AccessTokenRevoked 1'],
    });
    expect(explained(ended ?? nothing, [asked(byScript, '401 unauthenticated')], {})).not.toBeNull();
    expect(explained(ended ?? nothing, [asked(byScript, '403 forbidden')], {})).toBeNull();
  });
});
