import { expect, it } from '@jest/globals';
import { readSettings } from '../../settings/settings.js';
import { domainWarnings } from './domain-warnings.js';

const given = { STELE_BASE_URL: 'https://stele.example', STELE_SITE_DOMAIN: 'stele-sites.example' };
const warnings = (more: Record<string, string> = {}) =>
  domainWarnings(readSettings({ ...given, ...more })).map((text) => /Public Suffix|registrable/.exec(text)?.[0]);

it.each<[string, Record<string, string>, readonly string[]]>([
  ['is not on the Public Suffix List', {}, ['Public Suffix']],
  [
    'is not on the Public Suffix List and also belongs to the service',
    { STELE_SITE_DOMAIN: 'sites.stele.example' },
    ['registrable', 'Public Suffix'],
  ],
  ['is on the Public Suffix List', { STELE_SITE_DOMAIN: 'github.io' }, []],
  ['is not on the Public Suffix List, but the warning was acknowledged', { STELE_ACKNOWLEDGE: 'psl' }, []],
  ['is on this machine', { STELE_BASE_URL: 'http://localhost:3000', STELE_SITE_DOMAIN: 'localhost:3000' }, []],
  ['belongs to another process', { STELE_ROLES: 'serve', DATABASE_URL: 'postgres://stele@db/stele' }, []],
])('The service starts with the appropriate warnings if its site domain %s', (_, more, expected) =>
  expect(warnings(more)).toEqual(expected),
);

it('Only warnings that exist can be acknowledged', () =>
  expect(() => readSettings({ ...given, STELE_ACKNOWLEDGE: 'all' })).toThrow('STELE_ACKNOWLEDGE must be psl.'));
