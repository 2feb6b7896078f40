import { describe, expect, it } from '@jest/globals';
import { parseContentDisposition } from './content-disposition.js';

const of = (...lines: string[]) => parseContentDisposition(Buffer.from(lines.join('\r\n')));
const filename = (parameters: string) => of(`content-disposition: form-data; name="files"; ${parameters}`).filename;

describe('The headers of a multipart part', () => {
  it('the name and filename of a part are parsed', () => {
    expect(of('Content-Disposition: form-data; name="files"; filename="css/a.css"', 'Content-Type: text/css')).toEqual({
      name: 'files',
      filename: 'css/a.css',
    });
  });

  it.each([
    ['a quotation mark from a browser', 'filename="a%22b.txt"', 'a"b.txt'],
    ['a quotation mark from curl', 'filename="a\\"b.txt"', 'a"b.txt'],
    ['a backslash from curl', 'filename="a\\\\b"', 'a\\b'],
    ['a backslash from a browser', 'filename="a\\b"', 'a\\b'],
    ['a line break from a browser', 'filename="a%0D%0Ab"', 'a\r\nb'],
    ['a percent sign, which browsers do not escape', 'filename="100%25.txt"', '100%25.txt'],
    ['non-ASCII letters', 'filename="café 😀.txt"', 'café 😀.txt'],
    ['a name without quotation marks, from .NET', 'filename=index.html', 'index.html'],
    [
      'filename*, which takes precedence over filename',
      `filename="=?utf-8?B?w6k=?="; filename*=UTF-8''%C3%A9%2Fb.txt`,
      'é/b.txt',
    ],
    ['the charset of filename* without a dash, from older .NET', `filename*=utf8''%C3%A9.txt`, 'é.txt'],
    ['an encoded word in Base64, from PowerShell', 'filename="=?utf-8?B?csOpc3Vtw6kuaHRtbA==?="', 'résumé.html'],
    ['an encoded word in quoted-printable, from Spring', 'filename="=?UTF-8?Q?caf=C3=A9_1.html?="', 'café 1.html'],
    ['several encoded words', 'filename="=?UTF-8?Q?caf=C3=A9?= =?UTF-8?B?LmNzcw==?="', 'café.css'],
    ['a name that only begins like an encoded word', 'filename="=?a.html"', '=?a.html'],
    ['semicolons', 'filename="a;name=b.txt"', 'a;name=b.txt'],
    ['no filename', 'x=y', undefined],
  ])('headers are parsed as the client meant them: %s', (_, parameters, expected) => {
    expect(filename(parameters)).toBe(expected);
  });

  it.each([
    ['no content-disposition', ['content-type: text/plain']],
    ['no headers', ['']],
    ['another disposition', ['content-disposition: attachment; filename="a"']],
    ['two content-dispositions', ['content-disposition: form-data', 'Content-Disposition: form-data']],
    ['two filenames', ['content-disposition: form-data; filename="a"; filename="b"']],
    ['an unclosed quotation mark', ['content-disposition: form-data; name="files; filename=a']],
    ['text after a quoted value', ['content-disposition: form-data; name="files"x; filename="a"']],
    ['a line without a colon', ['content-disposition form-data']],
    ['a folded line', ['content-disposition: form-data;', ' name="files"']],
    ['a bare line break', ['content-disposition: form-data; name="files"\nfilename="a"']],
    ['base64 encoding', ['content-disposition: form-data; name="files"', 'content-transfer-encoding: base64']],
    ['filename* in another character set', [`content-disposition: form-data; filename*=latin1''a`]],
    ['an encoded word that is not UTF-8', ['content-disposition: form-data; filename="=?utf-8?Q?caf=E9?="']],
    ['an incomplete filename*', [`content-disposition: form-data; filename*=utf-8''%C3`]],
  ])('an invalid header is refused, not skipped: %s', (_, lines) => {
    expect(() => of(...lines)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  it('headers that are not UTF-8 are refused', () => {
    const headers = Buffer.from('content-disposition: form-data; name="files"; filename="caf\xe9"', 'latin1');
    expect(() => parseContentDisposition(headers)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});
