import { describe, expect, it } from '@jest/globals';
import { rulesOf } from '../../../../test/support/sites/site-rules.js';
import { chooseHeaders } from '../rules/site-rules.js';
import { isPreflight, preflightHeaders } from './preflight.js';
import { type SiteForm, siteHeaders } from './site-headers.js';

const allowed = async (lines: string, requested: string | undefined, form: SiteForm = 'host') => {
  const { rules } = await rulesOf('', lines);
  const head = preflightHeaders(siteHeaders(form, false), chooseHeaders(rules, 'data.json'), form, requested);
  return Object.fromEntries(Object.entries(head).filter(([name]) => name.startsWith('access-control-')));
};

describe('A preflight', () => {
  it('a preflight request is recognized by its headers', () => {
    const headers = { origin: 'https://a.example', 'access-control-request-method': 'GET' };
    expect(isPreflight({ method: 'OPTIONS', headers })).toBe(true);
    expect(isPreflight({ method: 'OPTIONS', headers: { origin: 'https://a.example' } })).toBe(false);
    expect(isPreflight({ method: 'GET', headers })).toBe(false);
  });

  it('a preflight response allows other sites to read a public site with any request headers', async () => {
    expect(await allowed('', 'content-type, x-a')).toEqual({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-allow-headers': 'content-type, x-a',
      'access-control-max-age': '600',
    });
  });

  it.each(['a b', 'a\r\nb: c', ',', 'x'.repeat(2_000), undefined])(
    'requested header names are not repeated in the response if they are malformed: %j',
    async (names) => expect(await allowed('', names)).not.toHaveProperty('access-control-allow-headers'),
  );

  it('a preflight response uses the access-control headers that the site sets', async () => {
    const lines =
      '/data.json\n Access-Control-Allow-Origin: https://a.example\n Access-Control-Allow-Headers: x-b\n X-C: 1';
    expect(await allowed(lines, 'x-a')).toMatchObject({
      'access-control-allow-origin': 'https://a.example',
      'access-control-allow-headers': 'x-b',
    });
    expect(await allowed(lines, 'x-a', 'path')).toMatchObject({ 'access-control-allow-origin': '*' });
    expect(await allowed('/*\n ! Access-Control-Allow-Origin', 'x-a')).not.toHaveProperty(
      'access-control-allow-origin',
    );
  });
});
