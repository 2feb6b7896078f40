import { describe, expect, it } from '@jest/globals';
import { rulesOf } from '../../../test/support/sites/site-rules.js';

const warningsOf = async (lines: string | Buffer) =>
  (await rulesOf(lines)).warnings.map(({ line, message }) => `${line}: ${message}`);

describe('A line of _redirects that probably has an unintended effect', () => {
  it.each([
    ['/a/:id /b/:slug', ':slug in the destination is sent as it is, because the path has no such placeholder'],
    ['/a /b/:splat', ':splat in the destination is sent as it is, because the path does not end in \\*'],
    ['/p /q?code=:code', ':code in the destination is sent'],
    ['/old/* /new/*', 'The \\* in the destination is sent as it is. Write :splat'],
    ['/old/* https://new.example/* 301', 'The \\* in the destination is sent'],
    ['/blog/:post-id /p/:post-id', 'The name of the placeholder :post ends before the hyphen'],
    ['/blog/:post-id /gone 410', 'The name of the placeholder :post ends before the hyphen'],
  ])('a redirect causes a warning: %s', async (line, message) => {
    expect(await warningsOf(line)).toEqual([expect.stringMatching(new RegExp(`^1: ${message}`))]);
  });

  it.each([
    '/a/:id /b/:id',
    '/old/* /new/:splat',
    '/wiki /wiki/File:Logo.png',
    '/a https://b.example:8080/c',
    '/v:b-x /w/:b',
    '/news/:year-archive /archive/:year',
    '/p code=:code /q?code=:code',
  ])('a redirect causes no warning: %s', async (line) => expect(await warningsOf(line)).toEqual([]));

  it.each([
    ['/my page /x', 'write a space in a path as %20'],
    ['/a -> /b', 'leave out “->”'],
    ['/docs/:path* /d/:path*', 'write /docs/\\* and use :splat'],
    ['/docs/(.*) /d/$1', 'regular expressions are not supported'],
    ['“/a” “/b”', 'without quotation marks'],
    ['"/a" "/b"', 'without quotation marks'],
    ['\u200b/a /b', 'an invisible character'],
    ['// a note', 'a comment must start with #'],
    ['[[redirects]]', 'the syntax of netlify.toml'],
    ['https://old.example/* https://new.example/:splat 301!', 'redirectTo'],
    ['/api/* https://api.example/:splat 200', 'status 200'],
  ])('an unsupported line is ignored, and the warning says what to write instead: %s', async (line, message) =>
    expect(await warningsOf(line)).toEqual([expect.stringMatching(new RegExp(`^1: Ignored: .*${message}`))]),
  );

  it('a line that is not UTF-8 is ignored with a warning', async () => {
    expect(await warningsOf(Buffer.from('# caf\xe9\n/caf\xe9 /b\n/c /caf\xe9\n', 'latin1'))).toEqual([
      '2: Ignored: the line is not UTF-8; save the file as UTF-8.',
      '3: Ignored: the line is not UTF-8; save the file as UTF-8.',
    ]);
  });
});
