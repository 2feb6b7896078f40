import { describe, expect, it } from '@jest/globals';
import type { SiteView } from '../../sites/api/site-access.js';
import { assertRedirect, assertRoom, MOST_DOMAINS, redirectIn } from './site-limits.js';

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

describe('A site has room', () => {
  it('for so many domains', () => {
    expect(() => assertRoom(having(many(MOST_DOMAINS - 1)), 'example.com')).not.toThrow();
    expect(() => assertRoom(having(many(MOST_DOMAINS)), 'example.com')).toThrow(
      expect.objectContaining({ code: 'quota_exceeded' }),
    );
  });

  it('for one that it has already, and for others in the place of those that it gave up', () => {
    expect(() => assertRoom(having(many(MOST_DOMAINS)), '0.example.com')).not.toThrow();
    expect(() => assertRoom(having(many(MOST_DOMAINS, { status: 'removed' })), 'example.com')).not.toThrow();
  });
});

describe('Visitors of a domain are sent on', () => {
  const www = 'www.example.com';
  const refused = expect.objectContaining({
    code: 'invalid_request',
    faults: [expect.objectContaining({ path: 'redirectTo' })],
  });

  it.each(['active', 'pending'] as const)('to another one of the site, also one that is %s', (status) =>
    expect(() => assertRedirect(having({ 'example.com': { status } }), www, 'example.com')).not.toThrow(),
  );

  it.each<[string, string, Record<string, Partial<SiteView['domains'][string]>>]>([
    ['itself', www, { [www]: {} }],
    ['one of another site', 'example.org', { [www]: {} }],
    ['what is a name only to JavaScript', 'constructor', {}],
    ['one that was lost', 'example.com', { 'example.com': { status: 'lost' } }],
    ['one that was removed', 'example.com', { 'example.com': { status: 'removed' } }],
    ['one that goes on itself', 'example.com', { 'example.com': { redirectTo: 'a.example.com' } }],
    ['another, while others go on to it', 'example.com', { 'example.com': {}, 'b.example.com': { redirectTo: www } }],
  ])('never to %s', (_, target, domains) =>
    expect(() => assertRedirect(having(domains), www, target)).toThrow(refused),
  );

  it('by a name as people write it', () => {
    expect(redirectIn('Example.com.', [])).toBe('example.com');
    expect(() => redirectIn('https://example.com/', [])).toThrow(refused);
  });
});
