import { describe, expect, it } from '@jest/globals';
import { renderMarkdown } from './markdown.js';

const shown = (text: string) => renderMarkdown(text).markup;

describe('Markdown written by an operator', () => {
  it('an operator’s Markdown is rendered with emphasis, lists and code', () =>
    expect(shown('It is **down**.\n\n- one\n- `two`')).toBe(
      '<p>It is <strong>down</strong>.</p>\n<ul>\n<li>one</li>\n<li><code>two</code></li>\n</ul>\n',
    ));

  it('links are marked so that search engines do not follow them', () =>
    expect(shown('[log](https://example.org/?a=1&b="2")')).toBe(
      '<p><a href="https://example.org/?a=1&amp;b=%222%22" rel="nofollow noopener noreferrer">log</a></p>\n',
    ));

  it('headings start at level 4, below the headings of the page', () =>
    expect(shown('# Cause')).toBe('<h4>Cause</h4>\n'));

  it.each([
    ['a script', '<script>alert(1)</script>'],
    ['an event handler', '<p onclick=alert(1)>x'],
    ['a comment', '<!-- x -->'],
    ['a link that runs code', '[x](javascript:alert(1))'],
    ['a disguised link that runs code', '[x](JaVa&#x0A;script:alert(1))'],
    ['a link to a data URL', '[x](data:text/html,<script>alert(1)</script>)'],
    ['a link to a local file', '[x](file:///etc/passwd)'],
    ['a link without a scheme', '[x](//evil.example/)'],
    ['an image', '![x](https://evil.example/pixel.png)'],
    ['an image with a reference definition', '![x][1]\n\n[1]: https://evil.example/pixel.png'],
    ['an autolink that runs code', '<javascript:alert(1)>'],
    ['a reference that runs code', '[x][1]\n\n[1]: javascript:alert(1)'],
    ['HTML in a link title', `[x](https://a.example '"><script>alert(1)</script>')`],
  ])('does not render %s', (_, text) => {
    const tags = [...shown(text).matchAll(/<[^>]*>/g)].map(([tag]) => tag);
    for (const tag of tags)
      expect(tag).toMatch(/^<\/?(?:p|a|ul|ol|li|code|pre|strong|em|h4)(?: (?:href|rel|title)="[^"]*")*>$/);
    expect(tags.join()).not.toMatch(/javascript|data:|file:|href="\/\//i);
  });
});
