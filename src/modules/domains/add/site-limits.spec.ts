import { describe, expect, it } from '@jest/globals';
import type { SiteView } from '../../sites/api/site-access.js';
import { assertDomainQuota, assertRedirect, MAX_DOMAINS, parseRedirect } from './site-limits.js';

const having = (domains: Record<string, Partial<SiteView['domains'][string]>>): Pick<SiteView, 'domains'> => ({
  domains: Object.fromEntries(
    Object.entries(domains).map(([hostname, told]) => [
      hostname,
      { revision: 1, status: 'active', redirectTo: null, ...told },
    ]),
  ),
});

const many = (count: number, told: Partial<SiteView['domains'][string]> = {}) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`${n}.example.com`, told]));

describe('The domain limit of a site', () => {
  it('a domain beyond the limit is refused', () => {
    expect(() => assertDomainQuota(having(many(MAX_DOMAINS - 1)), 'example.com')).not.toThrow();
    expect(() => assertDomainQuota(having(many(MAX_DOMAINS)), 'example.com')).toThrow(
      expect.objectContaining({ code: 'quota_exceeded' }),
    );
  });

  it('removed domains do not count towards the limit, and an existing domain can be added again', () => {
    expect(() => assertDomainQuota(having(many(MAX_DOMAINS)), '0.example.com')).not.toThrow();
    expect(() => assertDomainQuota(having(many(MAX_DOMAINS, { status: 'removed' })), 'example.com')).not.toThrow();
  });
});

describe('The redirect of a domain', () => {
  const www = 'www.example.com';
  const refused = expect.objectContaining({
    code: 'invalid_request',
    faults: [expect.objectContaining({ path: 'redirectTo' })],
  });

  it.each(['active', 'pending'] as const)('a domain can redirect to a domain of the site that is %s', (status) =>
    expect(() => assertRedirect(having({ 'example.com': { status } }), www, 'example.com')).not.toThrow(),
  );

  it.each<[string, string, Record<string, Partial<SiteView['domains'][string]>>]>([
    ['itself', www, { [www]: {} }],
    ['a domain of another site', 'example.org', { [www]: {} }],
    ['an inherited object property', 'constructor', {}],
    ['a lost domain', 'example.com', { 'example.com': { status: 'lost' } }],
    ['a removed domain', 'example.com', { 'example.com': { status: 'removed' } }],
    ['a domain that redirects too', 'example.com', { 'example.com': { redirectTo: 'a.example.com' } }],
    [
      'any domain if another domain redirects to this one',
      'example.com',
      { 'example.com': {}, 'b.example.com': { redirectTo: www } },
    ],
  ])('a domain can’t redirect to %s', (_, target, domains) =>
    expect(() => assertRedirect(having(domains), www, target)).toThrow(refused),
  );

  it('the target of a redirect is normalized like a hostname', () => {
    expect(parseRedirect('Example.com.', [])).toBe('example.com');
    expect(() => parseRedirect('https://example.com/', [])).toThrow(refused);
  });
});
