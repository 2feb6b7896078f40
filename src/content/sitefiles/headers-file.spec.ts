import { describe, expect, it } from '@jest/globals';
import { rulesOf } from '../../../test/support/sites/site-rules.js';
import { chooseHeaders } from '../../modules/serving/rules/site-rules.js';

/** Returns the headers that apply to a path, and each warning as `line: message`. */
async function read(lines: string | Buffer, path = 'a') {
  const { rules, warnings } = await rulesOf('', lines);
  return {
    set: Object.fromEntries(chooseHeaders(rules, path).set),
    warnings: warnings.map(({ line, message }) => `${line}: ${message}`),
  };
}

describe('A header on several lines', () => {
  const POLICY = "default-src 'self'; script-src 'self' https://cdn.example; img-src *.example data:";

  it.each([
    [
      'its directives',
      "/*\n  Content-Security-Policy: default-src 'self';\n    script-src 'self' https://cdn.example;\n    img-src *.example data:\n  X-A: 1\n",
    ],
    [
      'its sources',
      "/*\n\tContent-Security-Policy: default-src 'self';\n\t\tscript-src 'self'\n\t\thttps://cdn.example;\n\t\timg-src\n\t\t*.example\n\t\tdata:\n\tX-A: 1",
    ],
    [
      'backslashes at the ends of the lines',
      "/*\r\n  Content-Security-Policy: \\\r\n      default-src 'self'; \\\r\n      script-src 'self' https://cdn.example; \\\r\n      img-src *.example data:\r\n  X-A: 1\r\n",
    ],
  ])('a header is joined from several lines if they are indented further: %s', async (_, lines) => {
    expect(await read(lines)).toEqual({ set: { 'content-security-policy': POLICY, 'x-a': '1' }, warnings: [] });
  });

  it.each([
    ['a header', '/*\n  Link: </a>\n    X-B: 2', { link: '</a>', 'x-b': '2' }],
    ['a path', '/*\n  Link: </a>\n    /a\n      X-B: 2', { link: '</a>', 'x-b': '2' }],
    ['a header to remove', '/*\n  Link: </a>\n    ! X-B', { link: '</a>' }],
    ['a comment', '/*\n  Link: </a>\n    # more\n  X-B: 2', { link: '</a>', 'x-b': '2' }],
  ])('a header is not continued by %s on the next line', async (_, lines, set) => {
    expect((await read(lines)).set).toEqual(set);
  });

  it('a Cache-Control list can continue on the next line, but a short value can’t, because the next line may be a path', async () => {
    const caching = '/*\n  Cache-Control: public,\n    max-age=0,\n    must-revalidate';
    expect((await read(caching)).set).toEqual({ 'cache-control': 'public, max-age=0, must-revalidate' });
    for (const above of ['X-Frame-Options: DENY', 'Cache-Control: no-cache']) {
      const { set, warnings } = await read(`/*\n  ${above}\n    *.js\n      Cache-Control: immutable`);
      const [name = '', value] = above.toLowerCase().split(': ');
      expect(Object.fromEntries(Object.entries(set).map(([key, one]) => [key, one.toLowerCase()]))).toEqual({
        [name]: value,
      });
      expect(warnings).toEqual([expect.stringContaining('a path must begin with /')]);
    }
  });

  it('a line that is not indented further does not continue a header, and the warning says how to indent it', async () => {
    const { set, warnings } = await read(
      "/*\n  Content-Security-Policy: default-src 'self';\n  script-src 'self' https://x",
    );
    expect(set).toEqual({ 'content-security-policy': "default-src 'self';" });
    expect(warnings).toEqual([expect.stringMatching(/^3: Ignored: .* indent that line further/)]);
  });

  it('a header on several lines is ignored completely if its value is too long', async () => {
    const { set, warnings } = await read(`/*\n  Link: </a>${`\n    ${'a'.repeat(3_000)}`.repeat(3)}\n  X-B: 2`);
    expect(set).toEqual({ 'x-b': '2' });
    expect(warnings).toEqual([expect.stringMatching(/^2: Ignored: the value is longer than 8,000 characters/)]);
  });
});

describe('A line of _headers that probably has an unintended effect', () => {
  it.each([
    ['/*\n  Cache-Control: "no-cache"', '2: The quotation marks are part of the value'],
    ["/*\n  X-Frame-Options: 'DENY'", '2: The quotation marks'],
    ['/*:\n  X-A: 1', '1: The colon at the end is part of the path'],
    ['/a /b\n  X-A: 1', '1: A line can have only one path'],
    ['/a, /b\n  X-A: 1', '1: A line can have only one path'],
    ['/*\n  // note\n  X-A: 1', '2: Ignored: a comment must start with #'],
    ['/*\n  X-Frame-Options DENY', '2: Ignored: write headers as “name: value”'],
    ['/a\n  ! X-A\n/*\n  X-A: 1', '2: This line has no effect on line 4'],
    [
      "/*\n  Content-Security-Policy: img-src *\n/embed/*\n  Content-Security-Policy: img-src 'self'",
      '4: Line 2 sets content-security-policy for some of the same paths, and browsers enforce both',
    ],
    [
      "/*\n  Content-Security-Policy: img-src *\n  Content-Security-Policy: font-src 'self'",
      '3: Line 2 also sets content-security-policy, and browsers enforce both. Write all directives on one line',
    ],
    ['/*.pdf\n  Content-Disposition: attachment; filename="é.pdf"', '2: Ignored: .*filename\\*=UTF-8'],
  ])('a line causes a warning: %j', async (lines, message) => {
    expect((await read(lines)).warnings).toEqual([expect.stringMatching(new RegExp(message))]);
  });

  it.each([
    '/*\n  Speculation-Rules: "/rules.json"',
    '/*\n  X-A: say "hello"',
    '/*\n  Cache-Control: no-cache\n/a\n  ! Cache-Control\n  Cache-Control: no-store',
    '/*\n  X-A: 1\n/a\n  ! X-A',
    '/*\n  X-A: 1\n/*.jpg\n  ! X-A\n/again.jpg\n  X-A: 3',
    "/*\n  Content-Security-Policy: img-src *\n/a\n  ! Content-Security-Policy\n  Content-Security-Policy: img-src 'self'",
    "/a\n  Content-Security-Policy: img-src *\n/b\n  Content-Security-Policy: img-src 'self'",
  ])('a line causes no warning: %j', async (lines) => {
    expect((await read(lines)).warnings).toEqual([]);
  });

  it('a line that begins with // does not end the block of header lines for a path', async () => {
    expect((await read('/*\n  // note\n  X-A: 1')).set).toEqual({ 'x-a': '1' });
  });
});

describe('The encoding of a site file', () => {
  const text = '/*\r\n  X-A: 1\r\n';

  it.each([
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${text}`)],
    ['UTF-16, as Windows PowerShell writes it', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['big-endian UTF-16', Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ])('a site file can be written in %s', async (_, bytes) => {
    expect(await read(bytes)).toEqual({ set: { 'x-a': '1' }, warnings: [] });
  });

  it('an unrecognized encoding causes a warning', async () => {
    expect((await read(Buffer.from(text, 'utf16le'))).warnings).toEqual([
      '1: Ignored, like all other lines, because the file is not UTF-8. Save it as UTF-8.',
    ]);
    const { warnings } = await read(Buffer.from('# caf\xe9\n/caf\xe9\n  X-A: 1\n', 'latin1'));
    expect(warnings).toEqual(['2: Ignored, along with its headers: the line is not UTF-8; save the file as UTF-8.']);
  });
});
