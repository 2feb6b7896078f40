import { describe, expect, it } from '@jest/globals';
import { checkRef, repoUrl } from './repo-url.js';

const none = new Set<string>();
const listed = new Set(['git.intranet:80', '127.0.0.1:3000', '::1:3000']);
const refused = (code: string) => expect.objectContaining({ name: 'Refusal', code });

describe('A repository URL', () => {
  it.each([
    ['https://github.com/owner/name', 'https://github.com/owner/name'],
    ['https://github.com/owner/name.git/', 'https://github.com/owner/name.git'],
    ['HTTPS://GitHub.com/owner/Name', 'https://github.com/owner/Name'],
    ['https://git.example.org:8443/a', 'https://git.example.org:8443/a'],
    ['https://git.example.org:443/a', 'https://git.example.org/a'],
    ['https://git.example.org./a', 'https://git.example.org/a'],
    ['https://git.example.org/a/../b', 'https://git.example.org/b'],
    ['https://münchen.example/a', null],
    ['https://xn--mnchen-3ya.example/a', 'https://xn--mnchen-3ya.example/a'],
  ])('the URL %s is normalized to %s', (text, href) =>
    href === null
      ? expect(() => repoUrl(text, none)).toThrow(refused('invalid_request'))
      : expect(repoUrl(text, none).href).toBe(href),
  );

  it.each([
    ['https://2130706433/a', '127.0.0.1'],
    ['https://0x7f000001/a', '127.0.0.1'],
    ['https://0x7f.1/a', '127.0.0.1'],
    ['https://0177.0.0.1/a', '127.0.0.1'],
    ['https://127.1/a', '127.0.0.1'],
    ['https://127.0.0.1./a', '127.0.0.1'],
    ['https://0/a', '0.0.0.0'],
    ['https://[::]/a', '::'],
    ['https://[::ffff:127.0.0.1]/a', '::ffff:7f00:1'],
    ['https://[0:0:0:0:0:0:0:1]/a', '::1'],
    ['https://localhost./a', 'localhost'],
    ['https://169.254.169.254/latest', '169.254.169.254'],
    ['https://0xa9fea9fe/latest', '169.254.169.254'],
  ])('the host of %s is parsed as %s', (text, host) => expect(repoUrl(text, none).host).toBe(host));

  it.each([
    'http://github.com/owner/name',
    'git://github.com/owner/name',
    'ssh://git@github.com/owner/name',
    'file:///etc',
    'ext::sh -c id',
    'ext::sh',
    'ftp://example.org/a',
    'data:text/plain,x',
    'javascript:alert(1)',
    'https://user@github.com/a',
    'https://user:secret@github.com/a',
    'https://:secret@github.com/a',
    'https://@github.com/a',
    'https://github.com@127.0.0.1/a',
    'https://github.com/a?b',
    'https://github.com/a#b',
    'https://github.com/a?',
    'https://github.com',
    'https://github.com/',
    'https://github.com/a%0ab',
    'https://github.com/a%00',
    'http://127.0.0.1:3000/a',
  ])('the repository URL %s is not supported', (text) =>
    expect(() => repoUrl(text, none)).toThrow(expect.objectContaining({ name: 'Refusal' })),
  );

  it.each([
    '',
    '-oProxyCommand=id',
    '--upload-pack=id',
    'git@github.com:owner/name.git',
    '/etc/passwd',
    '../x',
    'github.com/owner/name',
    'https://git hub.com/a',
    'https://github.com/a\nb',
    'https://github.com\\@127.0.0.1/a',
    'https:\\\\127.0.0.1/a',
    'https://[::1/a',
    `https://github.com/${'a'.repeat(2_100)}`,
  ])('%j is not a valid repository URL', (text) =>
    expect(() => repoUrl(text, none)).toThrow(refused('invalid_request')),
  );

  it('a host that the operator has listed can be private and use plain http', () => {
    expect(repoUrl('http://git.intranet/a', listed)).toMatchObject({ listed: true, secure: false, port: 80 });
    expect(repoUrl('http://127.0.0.1:3000/a', listed)).toMatchObject({ listed: true });
    expect(repoUrl('http://[::1]:3000/a', listed)).toMatchObject({ listed: true, href: 'http://[::1]:3000/a' });
    expect(repoUrl('https://127.0.0.1:3001/a', listed)).toMatchObject({ listed: false });
    expect(() => repoUrl('http://127.0.0.1:3001/a', listed)).toThrow(refused('repo_not_allowed'));
    expect(() => repoUrl('ssh://git.intranet:80/a', listed)).toThrow(refused('repo_not_allowed'));
  });
});

describe('A branch or tag name', () => {
  it.each(['main', 'v1.0', 'feature/x', 'é', 'a-b_c', '0'.repeat(40)])('the branch or tag name %s is valid', (ref) =>
    expect(checkRef(ref)).toBe(ref),
  );

  it.each([
    '-x',
    '--upload-pack=id',
    'a..b',
    'a b',
    'a~1',
    'a^{}',
    'a:b',
    'a?',
    'a*',
    'a[b',
    'a\\b',
    'a@{1}',
    '@',
    'a//b',
    '/a',
    'a/',
    'a.',
    '.a',
    'a/.b',
    'a.lock',
    'a.lock/b',
    'a\nb',
    '\ud800',
    'x'.repeat(256),
  ])('the branch or tag name %j is invalid', (ref) => expect(() => checkRef(ref)).toThrow(refused('invalid_request')));
});
