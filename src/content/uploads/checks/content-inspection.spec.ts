import { describe, expect, it } from '@jest/globals';
import { makeSecret } from '../../../edge/http/auth/secrets.js';
import { ContentInspection } from './content-inspection.js';

/** The keys are assembled at run time so that secret scanners do not report this file. */
const keys = [
  ['a private key', ['-----BEGIN', ' RSA PRIVATE', ' KEY-----']],
  ['a private key', ['-----BEGIN', ' PRIVATE', ' KEY-----']],
  ['a private key', ['-----BEGIN', ' PGP PRIVATE', ' KEY BLOCK-----']],
  ['an AWS access key', ['AKIA', 'QWERTYUIOPASDFGH']],
  ['a GitHub token', ['ghp', `_${'aB3'.repeat(12)}`]],
  ['a GitHub token', ['github', `_pat_${'a'.repeat(82)}`]],
  ['a token for this service', [makeSecret('edit')]],
  ['a token for this service', [makeSecret('session')]],
  ['a Stripe key', ['sk_', 'live_', 'aB3'.repeat(10)]],
  ['a Stripe key', ['rk_', 'live_', 'aB3'.repeat(10)]],
  ['a Slack token', ['xox', 'b-', '1234567890-1234567890-', 'aB3'.repeat(8)]],
  ['a Slack token', ['https://hooks.', 'slack.com/services/', 'T0AAAAAAA/B0AAAAAAA/', 'aB3'.repeat(8)]],
  ['a Google API key', ['AI', 'za', 'aB3-_'.repeat(7)]],
  ['an Anthropic key', ['sk-', 'ant-api03-', 'aB3-_'.repeat(19)]],
  ['an OpenAI key', ['sk-', 'proj-', 'aB3-_'.repeat(20)]],
  ['an OpenAI key', ['sk-', 'aB3d'.repeat(5), 'T3Blbk', 'FJ', 'aB3d'.repeat(5)]],
  ['an npm token', ['npm', '_', 'aB3'.repeat(12)]],
] as const;

const inspect = (path: string, ...pieces: (string | Buffer)[]) => {
  const inspection = new ContentInspection();
  const file = inspection.start(path);
  for (const piece of pieces) file.see(Buffer.from(piece as string));
  file.end();
  return inspection.warnings;
};

describe('An uploaded file', () => {
  it.each(keys)('a file with %s causes a warning with the line number but without the key', (name, parts) => {
    const key = parts.join('');
    const [warning, ...others] = inspect('a.js', 'one\ntwo = "', key.slice(0, 9), `${key.slice(9)}"\n`);
    expect(warning).toEqual({ file: 'a.js', line: 2, message: expect.stringContaining(`This looks like ${name}.`) });
    expect(JSON.stringify(warning)).not.toContain(key.slice(10));
    expect(others).toEqual([]);
  });

  it.each([
    ['a public key', '-----BEGIN PUBLIC KEY-----'],
    ['the key in AWS’s documentation', `AKIA${'IOSFODNN7'}EXAMPLE`],
    [
      'a token for this service with a wrong checksum',
      makeSecret('edit').replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
    ],
    ['a token that is too short', 'ghp_abc'],
    ['a Stripe test key, which can only access test data', `sk_test_${'aB3'.repeat(10)}`],
    ['names that begin like keys', 'sk-label npm_config_registry xoxo AIzawa SG.x glpat- risk-proj-x'],
    ['a key inside a longer word', `xAKIA${'QWERTYUIOPASDFGH'}x`],
  ])('a file causes no warning if it contains %s', (_, text) => {
    expect(inspect('a.txt', text)).toEqual([]);
  });

  it('only the start of a text file is inspected', () => {
    const key = keys[3][1].join('');
    expect(inspect('a.bin', Buffer.from([0, 1]), key)).toEqual([]);
    expect(inspect('a.txt', `${' '.repeat(200_000)}${key}`)).toEqual([]);
    expect(inspect('a.txt', ' '.repeat(100_000), ' '.repeat(100_000), key)).toEqual([]);
  });

  it.each(['<img src="/a.png">', "<a\nhref='/'>", '<script async src=/a.js>', '<link HREF = "/a.css">'])(
    'a URL that does not work when the site is served under a path causes a warning: %s',
    (html) => {
      expect(inspect('a.html', `<p>\n${html}${html}`)).toEqual([
        { file: 'a.html', line: html.includes('\n') ? 3 : 2, message: expect.stringContaining('pathUrl') },
      ]);
    },
  );

  it.each(['<a href="//cdn.example/x">', '<a href="a/">', '<a href="https://a/">', '<a data-href="/x">', '<p>src="/x'])(
    'the URL in %s causes no warning',
    (html) => {
      expect(inspect('a.html', html)).toEqual([]);
    },
  );

  it('only HTML pages cause warnings about URLs', () => {
    expect(inspect('a.js', ' href="/x"')).toEqual([]);
  });

  it('a deploy causes at most twenty warnings of each kind', () => {
    const inspection = new ContentInspection();
    for (let n = 0; n < 30; n++) inspection.inspect(`${n}.html`, [Buffer.from('<a href="/x">')]);
    for (let n = 0; n < 30; n++) inspection.leftOut(`${n}/.DS_Store`, 'junk');
    expect(inspection.warnings).toHaveLength(40);
  });
});
