import { describe, expect, it } from '@jest/globals';
import { rulesOf } from '../../../../test/support/sites/site-rules.js';
import { type Form, siteHeaders } from '../site-headers.js';
import { headersFor } from './site-rules.js';
import { withChosenHeaders } from './with-chosen-headers.js';

const head = async (lines: string, form: Form = 'host', status = 200) => {
  const { rules } = await rulesOf('', `/*\n${lines}`);
  const ours = { ...siteHeaders(form, true), etag: '"a"', 'cache-control': 'no-cache', 'content-type': 'text/html' };
  return withChosenHeaders(ours, headersFor(rules, 'page'), form, status);
};
const sandbox = siteHeaders('path', true)['content-security-policy'];

describe('What a site says of the headers of its answers', () => {
  it('goes before what the service says, and takes it away', async () => {
    expect(await head('Cache-Control: max-age=9')).toMatchObject({ 'cache-control': 'max-age=9', etag: '"a"' });
    expect(await head('! Cache-Control')).not.toHaveProperty('cache-control');
    expect(await head('Content-Type: text/plain')).toHaveProperty('content-type', 'text/plain');
  });

  it('is added to what must stay', async () => {
    expect(await head('X-Robots-Tag: noarchive')).toHaveProperty('x-robots-tag', 'noindex, noarchive');
    expect(await head('! X-Robots-Tag')).toHaveProperty('x-robots-tag', 'noindex');
    expect(await head('! ETag')).toHaveProperty('etag', '"a"');
  });

  it('is its own policy at a host of its own, and a second one under the service’s address', async () => {
    const policy = "Content-Security-Policy: script-src 'self'";
    expect(await head(policy)).toHaveProperty('content-security-policy', "script-src 'self'");
    expect(await head(policy, 'path')).toHaveProperty('content-security-policy', `${sandbox}, script-src 'self'`);
  });

  it.each([
    'Content-Security-Policy: sandbox allow-same-origin',
    "Content-Security-Policy: script-src 'self'; SANDBOX allow-same-origin",
    'Content-Security-Policy: sandbox',
    '! Content-Security-Policy',
  ])('never touches the sandbox: %s', async (line) => {
    expect(await head(line, 'path')).toHaveProperty('content-security-policy', sandbox);
  });

  it.each(['Strict-Transport-Security', 'NEL', 'Report-To', 'Accept-CH', 'Use-As-Dictionary', 'Refresh', 'Link'])(
    'is no %s where it would be the API’s',
    async (name) => {
      expect(await head(`${name}: x`)).toHaveProperty(name.toLowerCase(), 'x');
      expect(await head(`${name}: x`, 'path')).not.toHaveProperty(name.toLowerCase());
    },
  );

  it('leaves who may read an answer to the service where the origin is shared', async () => {
    const lines = 'Access-Control-Allow-Origin: https://a.example\nAccess-Control-Allow-Credentials: true';
    expect(await head(lines, 'path')).toHaveProperty('access-control-allow-origin', '*');
    expect(await head(lines, 'path')).not.toHaveProperty('access-control-allow-credentials');
    expect(await head(lines)).toHaveProperty('access-control-allow-origin', 'https://a.example');
  });

  it('says nothing about keeping a page that is not there', async () => {
    expect(await head('Cache-Control: max-age=9\nX-A: 1', 'host', 404)).toMatchObject({
      'cache-control': 'no-cache',
      'x-a': '1',
    });
  });

  it('ends where it would be more than anybody reads', async () => {
    const lines = Array.from({ length: 40 }, (_, n) => `x-${n}: ${'v'.repeat(1000)}`).join('\n');
    const names = Object.keys(await head(lines)).filter((name) => /^x-\d+$/.test(name));
    expect(names).toHaveLength(16);
  });
});
