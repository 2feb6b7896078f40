import { describe, expect, it } from '@jest/globals';
import { parse } from 'parse5';
import { cpuClock } from '../../../../test/support/hostile/cpu-clock.js';
import { filled, refusalOf, template, withLinks } from '../../../../test/support/model/template-under-test.js';

describe('Filling a template', () => {
  it('values are inserted into text and attributes', () =>
    expect(filled('<p title="a {{intro}} b">{{ intro }}!</p>', { intro: 'hi' })).toBe('<p title="a hi b">hi!</p>'));

  it('an element is repeated for each entry of a list, with a counter that starts at 1', () =>
    expect(
      filled(
        '<ul><li data-each="link of links" id="l{{link_index}}">{{link.label}} <i data-each="tag of link.tags">{{tag}}</i></li></ul>',
        withLinks({ label: 'a', tags: ['x', 'y'] }, { label: 'b' }),
      ),
    ).toBe('<ul><li id="l1">a <i>x</i><i>y</i></li><li id="l2">b </li></ul>'));

  it.each([
    ['a string', { intro: 'x' }, { intro: '' }, 'intro'],
    ['a list', withLinks({}), { links: [] }, 'links'],
    ['a boolean', { big: true }, { big: false }, 'big'],
    ['a number (including 0)', { count: 0 }, {}, 'count'],
  ])('an element is only included if %s is present', (_, there, missing, path) => {
    const body = `<i data-if="${path}">if</i><b data-unless="${path}">unless</b>`;
    expect([filled(body, there), filled(body, missing)]).toEqual(['<i>if</i>', '<b>unless</b>']);
  });

  it('conditions are evaluated for each entry of a list', () =>
    expect(
      filled('<i data-each="link of links" data-if="link.url">{{link.label}}</i>', withLinks({ url: '/' }, {})),
    ).toBe('<i>L</i>'));

  it('missing parameters get their default values', () =>
    expect(filled('<p data-theme="{{theme}}"></p>', {})).toBe('<p data-theme="light"></p>'));

  it('a URL can be composed of several parts', () =>
    expect(
      filled('<a href="mailto:{{mail}}?subject={{intro}}">m</a>', {
        mail: 'a@b.example?bcc=c@d.example',
        intro: 'x&y',
      }) + filled('<a href="tel:{{mail}}">t</a>', { mail: '+49 30 123' }),
    ).toBe('<a href="mailto:a@b.example%3Fbcc%3Dc@d.example?subject=x%26y">m</a><a href="tel:+4930123">t</a>'));

  it('a URL attribute is omitted if its value is missing', () =>
    expect(filled('<a data-each="link of links" href="{{link.url}}">x</a>', withLinks({}))).toBe('<a>x</a>'));

  it('values of one page do not appear in the next page', () => {
    const links = template('<i data-each="link of links">{{link.label}}</i>');
    const first = links.fill({ title: 'T', ...withLinks({}, {}) });
    links.fill({ title: 'Other' });
    expect(links.fill({ title: 'T', ...withLinks({}, {}) })).toBe(first);
  });
});

describe('A value inserted into a template', () => {
  const everywhere = template(
    '<h1 title="{{intro}}" aria-label="{{intro}}" data-x="{{intro}}">{{intro}}</h1><textarea>{{intro}}</textarea>' +
      '<pre>{{intro}}</pre><input value="{{intro}}"><table><tr><td>{{intro}}</td></tr></table><svg><title>{{intro}}</title>' +
      '<text aria-label="{{intro}}">{{intro}}</text></svg>',
    '<meta name="description" content="{{intro}}">',
  );
  const shape = (html: string) => {
    const names: string[] = [];
    const look = (node: object) => {
      if ('tagName' in node && 'attrs' in node)
        names.push(`${node.tagName} ${(node.attrs as { name: string }[]).map(({ name }) => name).join(' ')}`);
      if ('childNodes' in node) (node.childNodes as object[]).forEach(look);
    };
    look(parse(html));
    return names;
  };
  const harmless = shape(everywhere.fill({ title: 'T', intro: 'harmless' }));

  it.each([
    '"><script>alert(1)</script>',
    "' onmouseover='alert(1)",
    '</title><script>alert(1)</script>',
    '</textarea><img src=x onerror=alert(1)>',
    '</pre></td></table></svg><script>1</script>',
    '<!--',
    '--><script>1</script>',
    ']]><script>1</script>',
    '<svg onload=alert(1)>',
    '&lt;script&gt;',
    '&#x3c;script>',
    '`$' + '{alert(1)}`',
    '{{title}} {{constructor}} {{{{x}}',
    '<style>@import url(//evil)</style>',
    '\u2028<b>\u2029',
    '\ufeff<b>',
    '+ADw-script+AD4-',
    '</html><!doctype html><html>',
    '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>',
  ])('an inserted value is treated as text: %j', (value) => {
    const html = everywhere.fill({ title: value, intro: value });
    expect(shape(html)).toEqual(harmless);
    expect(html).not.toMatch(/<(script|img|b|style|math)[ >]/);
  });

  it('placeholders inside a value are not replaced', () =>
    expect(filled('<p>{{intro}}</p>', { intro: '{{title}}' })).toBe('<p>{{title}}</p>'));

  it('control characters and lone surrogates are removed from values', () =>
    expect(filled('<p>{{intro}}</p>', { intro: 'a\u0000\u0007b\r\nc\td\u0085\ud800e\ufffff😀' })).toBe(
      '<p>ab\nc\td\ufffdef😀</p>',
    ));

  it.each(['\u202e', '\u202a', '\u2066', '\u2069'])('a value that changes the text direction is refused: %j', (turn) =>
    expect(
      refusalOf(() => filled('<p data-each="link of links">{{link.label}}</p>', withLinks({ label: `a${turn}` }))),
    ).toMatchObject({
      code: 'invalid_request',
      faults: [{ path: 'parameters.links[0].label' }],
    }),
  );
});

describe('Invalid template parameters', () => {
  it.each<[string, object, string]>([
    ['that lack a required value', { title: undefined }, 'parameters.title'],
    ['that are unknown', { colour: 'red' }, 'parameters'],
    ['that are too long', { intro: 'x'.repeat(2_001) }, 'parameters.intro'],
    ['of the wrong type', { links: [{ label: 7 }] }, 'parameters.links[0].label'],
    ['that are not among the choices', { theme: 'blue' }, 'parameters.theme'],
    ['that are not whole numbers', { count: 1.5 }, 'parameters.count'],
    ['with too many list items', { links: Array.from({ length: 501 }, () => ({ label: 'x' })) }, 'parameters.links'],
  ])('parameters %s are refused', (_, parameters, path) =>
    expect(refusalOf(() => template('').fill({ title: 'T', ...parameters }))).toMatchObject({
      code: 'invalid_request',
      faults: [{ path }],
    }),
  );

  it.each([null, undefined, 7, 'x', []])('parameters must be an object, so %j is refused', (parameters) =>
    expect(refusalOf(() => template('').fill(parameters)).faults[0]?.path).toBe('parameters'),
  );

  it('parameters that make the page too large are refused', () => {
    const links = Array.from({ length: 500 }, () => ({ label: 'x'.repeat(100) }));
    const body = '<i data-each="link of links"><i data-each="other of links">{{other.label}}</i></i>';
    expect(refusalOf(() => filled(body, { links })).detail).toContain('512 KiB');
  });

  it('nested lists that would become too large are refused before they are expanded', () => {
    const links = Array.from({ length: 500 }, () => ({ label: '' }));
    const body = '<i data-each="a of links"><i data-each="b of links"><i data-each="c of links">x</i></i></i>';
    const spent = cpuClock();
    expect(refusalOf(() => filled(body, { links })).detail).toContain('512 KiB');
    expect(spent()).toBeLessThan(5_000);
  });

  it('a parameter named __proto__ is refused', () => {
    const parameters = JSON.parse('{"title":"T","__proto__":{"intro":"x"}}');
    expect(refusalOf(() => template('').fill(parameters)).code).toBe('invalid_request');
  });
});
