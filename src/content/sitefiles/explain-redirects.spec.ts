import { describe, expect, it } from '@jest/globals';
import { explainRedirects } from './explain-redirects.js';
import { RedirectsFile } from './redirects-file.js';

async function explained(text: string, files: readonly string[]): Promise<string[]> {
  const lines = new RedirectsFile();
  for (const [at, line] of text.split('\n').entries()) lines.line(line, at + 1);
  await explainRedirects(lines.redirects, (path) => files.includes(path), lines.warnings);
  return lines.warnings.all.map(({ line, message }) => `${line}: ${message}`);
}

describe('explainRedirects', () => {
  it.each([
    [
      '/about /x 301',
      ['about.html'],
      'about.html. To apply it anyway, write an exclamation mark after the status: 301!',
    ],
    ['/docs /x', ['docs/index.html'], 'docs/index.html. To apply it'],
    ['/about/ /x', ['about.html'], 'the site has a file for this path'],
    ['/a /b\n/a /c', [], '2: This line has no effect, because line 1 applies to the same path first'],
    ['/a/ /b\n/a /c', [], '2: This line has no effect, because line 1'],
    ['/news/* /x\n/news/:year /y', [], '2: This line has no effect, because line 1'],
    ['/* /index.html 200\n/admin /login 302!', ['index.html'], '2: This line has no effect, because line 1'],
    ['/s /s', [], 'redirects to the same URL'],
    ['/* /:splat', [], 'redirects to the same URL'],
    ['/g /nowhere.html 200', ['index.html'], 'has no file for its destination, /nowhere.html'],
    ['/g /nowhere 404', ['index.html'], 'has no file for its destination, /nowhere'],
    ['/x/ /x 301!', ['x/index.html'], 'an endless loop'],
    ['/* /en/:splat 301', ['en/index.html'], 'an endless loop'],
    ['/{a,b} /c', [], 'Write one line for each alternative, such as /a and /b'],
  ])('warns about %s on a site with the files %j', async (text, files, message) => {
    expect(await explained(text, files)).toEqual([expect.stringContaining(message)]);
  });

  it('warns about both lines of a redirect loop', async () => {
    expect(await explained('/a /b\n/b /a', [])).toEqual([
      expect.stringContaining('1: This redirect is skipped where it would cause an endless loop'),
      expect.stringContaining('2: This redirect is skipped'),
    ]);
  });

  it.each([
    ['/about /x 301!', ['about.html']],
    ['/about /about.html 200', ['about.html']],
    ['/docs /docs/ 301', ['docs/index.html']],
    ['/* /index.html 200', ['index.html']],
    ['/a id=1 /b\n/a id=2 /c\n/a /d', []],
    ['/news/:year /x\n/news/* /y', []],
    ['/* /:splat\n/a /b', []],
    ['/trailing /trailing/', []],
    ['/x/* /:splat', []],
    ['/gone /nowhere 410', []],
    ['/users/:id /users/[id] 200', ['users/[id].html']],
    ['/old/* https://new.example/:splat', []],
    ['/a /b\n/b /c\n/c /d', []],
    ['/photo(1).jpg /photo.jpg', []],
  ])('does not warn about %s on a site with the files %j', async (text, files) => {
    const all = await explained(text, files);
    expect(all.filter((one) => !(text.startsWith('/* /:splat') && one.startsWith('1:')))).toEqual([]);
  });

  it('does not block other requests while checking a file with the maximum number of lines', async () => {
    const text = Array.from({ length: 2_000 }, (_, n) => `/${n}/* /x/${n}/:splat`).join('\n');
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    await explained(text, []);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(1);
  });
});
