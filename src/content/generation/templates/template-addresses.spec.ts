import { describe, expect, it } from '@jest/globals';
import { filled, refusalOf, withLinks } from '../../../../test/support/model/template-under-test.js';

describe('A URL in a template', () => {
  const link = (url: string) =>
    filled('<a data-each="link of links" href="{{link.url}}">x</a>', withLinks({}, { url }));
  const image = (url: string) =>
    filled('<img data-each="link of links" src="{{link.image}}" alt>', withLinks({ image: url }));

  it.each([
    'https://example.com/a?b=c&d="e"#f',
    'http://example.com',
    'mailto:a@example.com',
    'tel:+4930123',
    '/about',
    'about.html',
    '../x',
    '#top',
    '?a=b',
    'HTTPS://EXAMPLE.COM',
  ])('the URL of a link can be %s', (url) =>
    expect(link(url)).toBe(`<a>x</a><a href="${url.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}">x</a>`),
  );

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    '\u0001javascript:alert(1)',
    'java\tscript:alert(1)',
    'java\nscript:alert(1)',
    'java\u0000script:alert(1)',
    'javascript\n:alert(1)',
    'javascript:\u2028alert(1)',
    'vbscript:x',
    'data:text/html,<script>alert(1)</script>',
    'blob:https://example.com/x',
    'file:///etc/passwd',
    'view-source:x',
    'intent://x',
    'https://',
    'http://[',
    'a b',
    '\\\\evil.example',
  ])('the URL of a link cannot be %j', (url) => {
    const { code, faults } = refusalOf(() => link(url));
    expect([code, faults[0]?.path]).toEqual(['invalid_request', 'parameters.links[1].url']);
  });

  it.each(['images/a.png', '/a.webp', 'data:image/png;base64,iVBORw0KGgo='])('the URL of an image can be %s', (url) =>
    expect(image(url)).toBe(`<img src="${url}" alt="">`),
  );

  it.each([
    'https://example.com/a.png',
    '//example.com/a.png',
    '/\\example.com/a.png',
    'https://here.invalid/a.png',
    'data:image/svg+xml;base64,PHN2Zz4=',
    'data:image/png,x',
    'data:image/png;base64,<svg>',
    'data:text/html;base64,PGI+',
    'javascript:1',
    'blob:x',
  ])('the URL of an image cannot be %j', (url) =>
    expect(refusalOf(() => image(url)).faults[0]?.path).toBe('parameters.links[0].image'),
  );

  it('a value cannot change the host of a URL that precedes its placeholder', () =>
    expect(filled('<a href="https://example.com/{{intro}}">x</a>', { intro: '../@evil.example/"?x#y' })).toBe(
      '<a href="https://example.com/..%2F@evil.example%2F%22%3Fx%23y">x</a>',
    ));
});
