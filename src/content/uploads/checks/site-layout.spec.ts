import { describe, expect, it } from '@jest/globals';
import { RedirectsFile } from '../../sitefiles/redirects-file.js';
import { explainLayout, explainNoIndex } from './site-layout.js';

const explained = (paths: readonly string[], redirects = '') => {
  const lines = new RedirectsFile();
  for (const [at, line] of redirects.split('\n').entries()) lines.line(line, at + 1);
  return explainLayout(paths, lines.redirects).map(({ file, message }) => `${file}: ${message}`);
};

describe('A file that other hosts treat specially, or that is misnamed or misplaced', () => {
  it.each([
    [['_redirects.txt'], '_redirects.txt: .* Rename it to _redirects'],
    [['_headers.txt'], 'Rename it to _headers'],
    [['_redirect'], 'Rename it to _redirects'],
    [['_Headers'], 'Rename it to _headers'],
    [['public/_redirects', 'old/_redirects'], 'public/_redirects: .* in a folder. Move it to the top level'],
    [['assets/_headers', '_redirects'], 'Move it to the top level, as _headers'],
    [['vercel.json'], 'configures Vercel .* to _redirects and its headers to _headers'],
    [['.htaccess'], 'configures Apache'],
    [['_worker.js', '_headers'], 'does not run here'],
    [['200.html'], '“/\\* /200.html 200”'],
    [['404/index.html'], 'rename it to 404.html'],
    [['icon.png?v=1', 'c#/a.html'], 'icon.png\\?v=1: .*%3F.* 1 other file'],
  ])('a misleading file name causes a warning: %j', (paths, message) =>
    expect(explained(['index.html', ...paths])).toEqual([expect.stringMatching(message)]),
  );

  it.each([
    [['_redirects', '_headers']],
    [['_redirects', 'docs/_redirects', '_redirects.txt']],
    [['docs/redirect', 'docs/_headers.md']],
    [['vercel.json', '_redirects']],
    [['sub/.htaccess', 'sub/vercel.json']],
    [['200.html', '404.html']],
    [['404/index.html', '404.html']],
    [['100%.html', 'a b.html', 'é.html']],
  ])('a site with these files causes no warning: %j', (paths) =>
    expect(explained(['index.html', ...paths])).toEqual([]),
  );

  it('an error or fallback page causes no warning if a redirect uses it', () => {
    expect(explained(['200.html', '_redirects'], '/* /200.html 200')).toEqual([]);
    expect(explained(['404/index.html', '_redirects'], '/* /404 404')).toEqual([]);
    expect(explained(['404/index.html', '_redirects'], '/* /404/index.html 404')).toEqual([]);
  });
});

describe('A site without a start page', () => {
  it.each([
    [['site.zip'], 'site.zip: This archive is published as a file.* application/zip'],
    [['a.tar.gz', 'b/c.tgz'], 'a.tar.gz: This archive'],
    [['a.zip', 'b.html'], 'index.html: There is no index.html'],
    [['site/index.html', 'README.md'], 'The closest match is site/index.html'],
  ])('a site without index.html causes a warning that depends on its files: %j', (paths, message) => {
    const { file, message: said } = explainNoIndex(paths);
    expect(`${file}: ${said}`).toMatch(new RegExp(message));
  });
});
