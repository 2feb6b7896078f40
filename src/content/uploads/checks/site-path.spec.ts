import { describe, expect, it } from '@jest/globals';
import { cpuClock } from '../../../../test/support/hostile/cpu-clock.js';
import type { Refusal } from '../../../kernel/refusal.js';
import { SitePaths, sitePath } from './site-path.js';

const a = (count: number) => 'a'.repeat(count);
const folders = (depth: number) => Array(depth).fill('d').join('/');
/** A path of 1,024 bytes whose segments have valid lengths. */
const longest = `${`${a(200)}/`.repeat(5)}${a(1024 - 5 * 201)}`;

const refusalOf = (act: () => unknown): Refusal => {
  try {
    act();
  } catch (error) {
    return error as Refusal;
  }
  throw new Error('Nothing was refused.');
};

describe('A path that can be published', () => {
  it.each([
    ['only a page', 'index.html'],
    ['a file in folders', 'assets/js/app.js'],
    ['spaces inside names', 'my folder/my page.html'],
    ['a name that begins with a dot', '.nojekyll'],
    ['.gitignore', '.gitignore'],
    ['.gitattributes', '.gitattributes'],
    ['.github', '.github/workflows/ci.yml'],
    ['a name that merely contains a blocked one', 'docs/node_modules.html'],
    ['env without a dot', 'env.js'],
    ['.well-known', '.well-known/security.txt'],
    ['acme-challenge elsewhere', 'docs/acme-challenge/x'],
    ['.well-known elsewhere', 'docs/.well-known/acme-challenge/x'],
    ['three dots and more', 'spread/...args.js'],
    ['dots inside a name', 'a..b/c..d'],
    ['non-Latin scripts', 'страница/页面/صفحة.html'],
    ['an astral character', '🦦/index.html'],
    ['characters that URLs encode', 'a%2Fb?c#d&e=f.html'],
    ['Windows device names', 'con/aux.html'],
    ['names of properties that every object has', '__proto__/constructor'],
    ['a colon in a later segment', 'notes/12:30.html'],
    ['a tilde', 'git~2/digit~1/.gitx~1'],
    ['1,024 bytes', longest],
    ['a segment of 255 bytes', a(255)],
    ['a segment of 255 bytes in multibyte letters', `${'é'.repeat(127)}a`],
    ['32 segments', folders(32)],
  ])('a path that contains %s is valid', (_, path) => expect(sitePath(path, 'files[0].path')).toBe(path));
});

describe('A path with many combining marks', () => {
  it.each([1_000, 2_000, 32_000])('a path of %i combining marks is refused quickly', (count) => {
    const spent = cpuClock();
    const path = `a${'\u0301\u0323'.repeat(count / 2)}`;
    for (let n = 0; n < 20; n++) expect(refusalOf(() => sitePath(path, 'files[0].path')).code).toBe('invalid_path');
    expect(spent()).toBeLessThan(2_000);
  });
});

describe('The canonical form of a path', () => {
  it.each([
    ['a leading ./ is dropped', './index.html', 'index.html'],
    ['a repeated leading ./ is dropped', '././index.html', 'index.html'],
    ['letters and their accents are joined (NFC)', 'cafe\u0301.html', 'caf\u00e9.html'],
    ['canonically equivalent characters become the same', '\u212b.html', '\u00c5.html'],
    ['a lone surrogate becomes a replacement character', 'a\ud800b', 'a\ufffdb'],
  ])('a path is normalized: %s', (_, given, path) => expect(sitePath(given, 'files[0].path')).toBe(path));

  it('the length limit applies to the canonical form', () => {
    expect(sitePath(`${'e\u0301'.repeat(127)}`, 'files[0].path')).toBe('\u00e9'.repeat(127));
    expect(sitePath(`./${longest}`, 'files[0].path')).toBe(longest);
  });

  it('converting a canonical path does not change it', () => {
    for (const path of ['./cafe\u0301/\u212b.html', 'a/b', '\u1e9b\u0323']) {
      const once = sitePath(path, 'files[0].path');
      expect(sitePath(once, 'files[0].path')).toBe(once);
    }
  });
});

describe('A path that cannot be published', () => {
  it.each([
    ['an empty string', ''],
    ['only ./', './'],
    ['only a slash', '/'],
    ['an absolute path', '/etc/passwd'],
    ['an absolute path after ./', './/etc/passwd'],
    ['another server', '//evil.example/x'],
    ['a drive letter', 'C:/windows/win.ini'],
    ['a lowercase drive letter', 'c:/x'],
    ['a path relative to a drive', 'C:win.ini'],
    ['only a drive letter', 'C:'],
    ['a drive letter with a backslash', 'C:\\win.ini'],
    ['a .. segment', '../secret'],
    ['a .. segment in the middle', 'a/../../secret'],
    ['a .. segment at the end', 'a/..'],
    ['only ..', '..'],
    ['a . segment', 'a/./b'],
    ['only .', '.'],
    ['a . segment at the end', 'a/.'],
    ['an empty segment', 'a//b'],
    ['a trailing slash', 'a/'],
    ['a backslash', 'a\\b'],
    ['.. segments with backslashes', '..\\..\\secret'],
    ['NUL', 'a\0.html'],
    ['a line break', 'a\nb'],
    ['a carriage return', 'a\rb'],
    ['a tab', 'a\tb'],
    ['an escape character', 'a\u001b[31mb'],
    ['DEL', 'a\u007fb'],
    ['a C1 control', 'a\u0085b'],
    ['1,025 bytes', `${longest}a`],
    ['1,025 bytes in multibyte letters', `${longest.slice(1)}é`],
    ['a segment of 256 bytes', a(256)],
    ['a segment of 256 bytes in multibyte letters', 'é'.repeat(128)],
    ['a folder of 256 bytes', `${a(256)}/x`],
    ['a segment that ends in a dot', 'a./b'],
    ['a name that ends in a dot', 'index.html.'],
    ['a name of only dots', '...'],
    ['a name that ends in a space', 'index.html '],
    ['a folder that ends in a space', 'a /b'],
    ['a name that is a space', ' '],
    ['a name that ends in a no-break space', 'a\u00a0'],
    ['a name that ends in an ideographic space', 'a\u3000'],
    ['33 segments', folders(33)],
    ['31 consecutive combining marks', `a${'\u0301'.repeat(31)}`],
    ['31 combining marks with invisible characters between them', `a${'\u0301\u200d'.repeat(32)}`],
    ['31 combining marks only in the canonical form', `\u0958${'\u0301'.repeat(30)}`],
    ...[
      '\u061c',
      '\u200e',
      '\u200f',
      '\u202a',
      '\u202b',
      '\u202c',
      '\u202d',
      '\u202e',
      '\u2066',
      '\u2067',
      '\u2068',
      '\u2069',
    ].map((mark) => [`U+${mark.charCodeAt(0).toString(16).padStart(4, '0')}`, `invoice${mark}lmth.exe`] as const),
  ])('a path is refused: %s', (_, path) => {
    const refusal = refusalOf(() => sitePath(path, 'files[7].path'));
    expect(refusal).toMatchObject({
      code: 'invalid_path',
      faults: [{ path: 'files[7].path', message: expect.any(String) }],
    });
  });

  it('the error message contains the path, shortened and without control characters', () => {
    expect(refusalOf(() => sitePath('a/../b', 'f')).detail).toBe('“a/../b” has a . or .. segment.');
    expect(refusalOf(() => sitePath('a\n\u202eb', 'f')).detail).toMatch(/^“a\ufffd\ufffdb” /);
    expect(refusalOf(() => sitePath(a(100_000), 'f')).detail?.length).toBeLessThan(300);
  });

  it.each([
    [2_049, 'is longer than 1,024 bytes'],
    [2_048, 'has more than 30 combining marks in a row'],
  ])(
    'a path with many combining marks is reported as too long only if it exceeds the length limit (%i units)',
    (units, message) =>
      expect(refusalOf(() => sitePath(`a${'\u0301'.repeat(units - 1)}`, 'f'))).toMatchObject({ faults: [{ message }] }),
  );
});

describe('A path that is never published', () => {
  it.each([
    '.git/config',
    '.GIT/config',
    '.Git',
    'docs/.git/HEAD',
    '.env',
    '.ENV',
    '.env.local',
    '.env.production.local',
    'config/.env',
    '.envrc',
    '.npmrc',
    'packages/a/.npmrc',
    '.NpmRC',
    '.ssh/id_ed25519',
    'home/.SSH/known_hosts',
    'node_modules/left-pad/index.js',
    'packages/a/node_modules/b.js',
    'NODE_MODULES/x',
    './.git/config',
    // Names that Windows treats as one of the blocked names.
    'git~1/config',
    'x/GIT~1/HEAD',
    '.git::$INDEX_ALLOCATION/config',
    '.GIT:stream',
    'GIT~1::$INDEX_ALLOCATION/config',
    '.ssh::$INDEX_ALLOCATION/id_rsa',
    'node_modules:x/y',
    '.npmrc::$DATA',
    '.well-known/acme-challenge/x',
    '.well-known/acme-challenge',
    '.Well-Known/ACME-Challenge/x',
    // Case folding turns these letters into ASCII letters.
    '.g\u0131t/config', // dotless i
    '.\u017fsh/id_rsa', // long s
    'node_module\u017f/x',
    // The Kelvin sign is canonically equivalent to K.
    '.well-\u212anown/acme-challenge/x',
  ])('the path is blocked: %s', (path) => {
    expect(refusalOf(() => sitePath(path, 'files[2].path'))).toMatchObject({
      code: 'blocked_path',
      faults: [{ path: 'files[2].path', message: 'is never published' }],
    });
  });

  it.each([
    ['a zero-width joiner', '.g\u200dit/config'],
    ['a zero-width non-joiner', '.g\u200cit/config'],
    ['a byte order mark', '.env\ufeff.local'],
    ['a leading byte order mark', '\ufeff.git/config'],
    ['a soft hyphen', 'node_mod\u00adules/x'],
    ['a variation selector', '.np\ufe0fmrc'],
    ['a zero-width joiner in acme-challenge', '.well-known/acme\u200d-challenge/x'],
  ])('a blocked name is recognized even if it contains %s, which some file systems ignore', (_, path) =>
    expect(refusalOf(() => sitePath(path, 'f'))).toMatchObject({ code: 'blocked_path' }),
  );

  it.each([
    ['full-width letters', '.\uff47\uff49\uff54/config'],
    ['a full-width dot', '\uff0egit/config'],
    ['a one-dot leader', '\u2024env'],
    ['a mathematical letter', '.\u{1d420}it/config'],
    ['an accent', '.\u011fit/config'],
    ['a Cyrillic letter', '.\u0455sh/id'],
  ])('a name that contains %s is allowed, because no file system treats it as equal to a blocked name', (_, path) =>
    expect(sitePath(path, 'f')).toBe(path),
  );

  it.each([
    '.htpasswd',
    'a/.HTPASSWD',
    '.svn/entries',
    '.hg/store',
    '.netrc',
    'wp-config.php',
    'blog/wp-config.php',
    '.aws/credentials',
    'id_rsa',
    '.pypirc',
    '.git-credentials',
  ])('a file for passwords or keys is blocked: %s', (path) => {
    expect(() => sitePath(path, 'f')).toThrow('is never published');
  });

  it.each(['wp-config-sample.php', 'id_rsa.pub.html', 'netrc.html', 'htpasswd', '.htaccess'])(
    'a file with a similar name is allowed: %s',
    (path) => expect(sitePath(path, 'f')).toBe(path),
  );

  it.each([
    ['a.', 'Remove the dot or space at the end of the name.'],
    ['/a', 'Give each file a relative path with forward slashes, such as assets/app.js.'],
    ['a\\b', 'Give each file a relative path with forward slashes, such as assets/app.js.'],
    ['x'.repeat(300), 'Use shorter names.'],
  ])('the path %j is rejected with a suitable suggestion', (path, suggestion) => {
    expect(() => sitePath(path, 'f')).toThrow(expect.objectContaining({ more: { suggestion } }));
  });

  it.each([
    [['a', 'a'], 'Send each path once.'],
    [['a', 'A'], expect.stringContaining('Rename one of them')],
    [['a', 'a/b'], 'Rename the file or the folder.'],
  ])('colliding paths are rejected with a suitable suggestion: %j', (paths, suggestion) => {
    const all = new SitePaths();
    const add = () => {
      for (const path of paths) all.add(path, 'f');
    };
    expect(add).toThrow(expect.objectContaining({ more: { suggestion } }));
  });

  it('a name in which joiners are necessary, such as an emoji or a Persian word, is allowed', () =>
    expect(sitePath('👩‍🚀/نامه‌ها.html', 'f')).toBe('👩‍🚀/نامه‌ها.html'));
});

describe('The paths of one deploy', () => {
  const adding = (...paths: string[]) => {
    const all = new SitePaths();
    for (const [index, path] of paths.entries())
      all.add(sitePath(path, `files[${index}].path`), `files[${index}].path`);
    return all;
  };

  it('all paths of a deploy are counted', () => expect(adding('index.html', 'a/b', 'a/c', 'd/e/f').count).toBe(4));

  it('the names of several files and folders can start with the same characters', () =>
    expect(adding('a/b', 'a.html', 'a-b/c', 'a/bc', 'ab').count).toBe(5));

  it.each([
    ['the same path twice', 'a.html', 'a.html'],
    ['the same path twice after normalization', './a.html', 'a.html'],
    ['the same path in two Unicode forms', 'cafe\u0301', 'caf\u00e9'],
    ['names that differ only in case', 'README.md', 'readme.md'],
    ['non-ASCII names that differ only in case', 'ÉTÉ.html', 'été.html'],
    ['a folder and its file that differ only in case', 'Docs/a', 'docs/A'],
    ['ß and SS', 'straße.html', 'STRASSE.html'],
    ['ß and ss', 'straße.html', 'strasse.html'],
    ['ß and ẞ', 'straße', 'stra\u1e9ee'],
    ['ſ and s', 'me\u017fs', 'mess'],
    ['İ and i with a dot above', '\u0130x', 'i\u0307x'],
    ['ı and i', '\u0131x', 'ix'],
    ['the two lowercase sigmas', 'οδος', 'οδοσ'],
    ['the Kelvin sign and k', '\u212a', 'k'],
    ['a ligature and its letters', '\ufb01le', 'file'],
    ['letters with an iota below', '\u1fb3', 'αι'],
    ['folders that differ only in case', 'A/x', 'a/y'],
    ['nested folders that differ only in case', 'a/B/c/x', 'a/b/d/y'],
    ['parent folders that differ only in case', 'A/b/c', 'a/b/d'],
    ['folders that differ only in ß and SS', 'Straße/a', 'STRASSE/b'],
    ['a file that is also a folder', 'a', 'a/b'],
    ['a folder that is also a file', 'a/b', 'a'],
    ['a file that is also a folder further down', 'a/b', 'a/b/c/d'],
    ['a folder that is also a file further up', 'a/b/c/d', 'a/b'],
    ['a file that is also a folder in another case', 'Docs', 'docs/a'],
    ['a folder that is also a file in another case', 'straße/a', 'STRASSE'],
  ])('a deploy is refused if two paths collide: %s', (_, first, second) => {
    const refusal = refusalOf(() => adding('index.html', first, second));
    expect(refusal).toMatchObject({ code: 'invalid_path', faults: [{ path: 'files[2].path' }] });
  });

  it('colliding paths are refused regardless of their order', () => {
    for (const [first, second] of [
      ['straße', 'STRASSE'],
      ['STRASSE', 'straße'],
      ['a', 'a/b'],
      ['a/b', 'a'],
    ] as const) {
      expect(() => adding(first, second)).toThrow(expect.objectContaining({ code: 'invalid_path' }));
    }
  });

  it('a path that was refused once is refused again', () => {
    const all = adding('a/b', 'README.md');
    for (const path of ['a', 'a', 'a/b/c', 'a/b/c', 'readme.md', 'readme.md'])
      expect(refusalOf(() => all.add(path, 'f')).code).toBe('invalid_path');
    expect([all.count, all.has('a/b'), all.has('README.md')]).toEqual([2, true, true]);
  });

  it('the error message contains both colliding folders', () =>
    expect(refusalOf(() => adding('src/Assets/a', 'src/assets/b')).detail).toBe(
      '“src/assets/b” is in a folder whose name is the same as “src/Assets” on case-insensitive file systems.',
    ));

  it('the error message contains both colliding files', () =>
    expect(refusalOf(() => adding('README.md', 'readme.md')).detail).toBe(
      '“readme.md” is the same as “README.md” on case-insensitive file systems.',
    ));

  it('paths can be named like built-in object properties, such as `constructor`', () =>
    expect(adding('__proto__', 'constructor', 'toString/valueOf').count).toBe(3));
});
