import { describe, expect, it } from '@jest/globals';
import { rulesOf } from '../../../../test/support/sites/site-rules.js';
import { type SiteForm, siteHeaders } from '../responses/site-headers.js';
import { chooseHeaders } from './site-rules.js';
import { withChosenHeaders } from './with-chosen-headers.js';

const head = async (lines: string, form: SiteForm = 'host', status = 200) => {
  const { rules } = await rulesOf('', `/*\n${lines}`);
  const ours = { ...siteHeaders(form, true), etag: '"a"', 'cache-control': 'no-cache', 'content-type': 'text/html' };
  return withChosenHeaders(ours, chooseHeaders(rules, 'page'), form, status);
};
const sandbox = siteHeaders('path', true)['content-security-policy'];

describe('Headers chosen by a site', () => {
  it('a site can override and unset headers of the service', async () => {
    expect(await head('Cache-Control: max-age=9')).toMatchObject({ 'cache-control': 'max-age=9', etag: '"a"' });
    expect(await head('! Cache-Control')).not.toHaveProperty('cache-control');
    expect(await head('Content-Type: text/plain')).toHaveProperty('content-type', 'text/plain');
  });

  it('a site can only extend mandatory headers', async () => {
    expect(await head('X-Robots-Tag: noarchive')).toHaveProperty('x-robots-tag', 'noindex, noarchive');
    expect(await head('! X-Robots-Tag')).toHaveProperty('x-robots-tag', 'noindex');
    expect(await head('! ETag')).toHaveProperty('etag', '"a"');
  });

  it('a site’s CSP replaces the service’s CSP on the site’s own host, and extends it under the service’s URL', async () => {
    const policy = "Content-Security-Policy: script-src 'self'";
    expect(await head(policy)).toHaveProperty('content-security-policy', "script-src 'self'");
    expect(await head(policy, 'path')).toHaveProperty('content-security-policy', `${sandbox}, script-src 'self'`);
  });

  it.each([
    'Content-Security-Policy: sandbox allow-same-origin',
    "Content-Security-Policy: script-src 'self'; SANDBOX allow-same-origin",
    'Content-Security-Policy: sandbox',
    '! Content-Security-Policy',
  ])('a site can’t change the sandbox: %s', async (line) => {
    expect(await head(line, 'path')).toHaveProperty('content-security-policy', sandbox);
  });

  it.each(['Strict-Transport-Security', 'NEL', 'Report-To', 'Accept-CH', 'Use-As-Dictionary', 'Refresh', 'Link'])(
    'a site can’t set %s under the service’s URL',
    async (name) => {
      expect(await head(`${name}: x`)).toHaveProperty(name.toLowerCase(), 'x');
      expect(await head(`${name}: x`, 'path')).not.toHaveProperty(name.toLowerCase());
    },
  );

  it('a site can set CORS headers only on its own host', async () => {
    const lines = 'Access-Control-Allow-Origin: https://a.example\nAccess-Control-Allow-Credentials: true';
    expect(await head(lines, 'path')).toHaveProperty('access-control-allow-origin', '*');
    expect(await head(lines, 'path')).not.toHaveProperty('access-control-allow-credentials');
    expect(await head(lines)).toHaveProperty('access-control-allow-origin', 'https://a.example');
  });

  it('a site can’t control the caching of a missing page', async () => {
    expect(await head('Cache-Control: max-age=9\nX-A: 1', 'host', 404)).toMatchObject({
      'cache-control': 'no-cache',
      'x-a': '1',
    });
  });

  it('the total length of the headers that a site sets is limited', async () => {
    const lines = Array.from({ length: 40 }, (_, n) => `x-${n}: ${'v'.repeat(1000)}`).join('\n');
    const names = Object.keys(await head(lines)).filter((name) => /^x-\d+$/.test(name));
    expect(names).toHaveLength(16);
  });
});
