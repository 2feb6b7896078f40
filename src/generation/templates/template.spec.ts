import { describe, expect, it } from '@jest/globals';
import { parse } from 'parse5';
import { Refusal } from '../../kernel/refusal.js';
import { Template } from './template.js';
import { TemplateFault } from './template-fault.js';

const text = { type: 'string', maxLength: 2_000 };
const schema = {
  type: 'object',
  required: ['title'],
  additionalProperties: false,
  properties: {
    title: { type: 'string', minLength: 1, maxLength: 2_000 },
    intro: text,
    theme: { type: 'string', enum: ['light', 'dark'], default: 'light' },
    big: { type: 'boolean' },
    count: { type: 'integer', minimum: 0 },
    mail: text,
    links: {
      type: 'array',
      maxItems: 500,
      items: {
        type: 'object',
        required: ['label'],
        additionalProperties: false,
        properties: {
          label: text,
          url: text,
          image: text,
          tags: { type: 'array', maxItems: 500, items: text },
        },
      },
    },
  },
};

const page = (body: string, head = '') =>
  `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{{title}}</title>${head}</head><body>${body}</body></html>`;

const template = (body: string, head?: string, example: object = { title: 'T' }) =>
  Template.read(
    'links',
    JSON.stringify({ title: 'Links', description: 'Links.', parameters: schema, example }),
    page(body, head),
  );

/** What is in the body, with the rest of the page as it has to be. */
function filled(body: string, parameters: object): string {
  const html = template(body).fill({ title: 'T', ...parameters });
  const before = '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>T</title></head><body>';
  expect(html.startsWith(before)).toBe(true);
  expect(html.endsWith('</body></html>')).toBe(true);
  return html.slice(before.length, -'</body></html>'.length);
}

const refusalOf = (attempt: () => unknown): Refusal => {
  try {
    attempt();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('was not refused');
};

const withLinks = (...links: object[]) => ({ links: links.map((link) => ({ label: 'L', ...link })) });

describe('A template is filled', () => {
  it('with values in text and in attributes', () =>
    expect(filled('<p title="a {{intro}} b">{{ intro }}!</p>', { intro: 'hi' })).toBe('<p title="a hi b">hi!</p>'));

  it('with an element for each entry of a list, counted from 1', () =>
    expect(
      filled(
        '<ul><li data-each="link of links" id="l{{link_index}}">{{link.label}} <i data-each="tag of link.tags">{{tag}}</i></li></ul>',
        withLinks({ label: 'a', tags: ['x', 'y'] }, { label: 'b' }),
      ),
    ).toBe('<ul><li id="l1">a <i>x</i><i>y</i></li><li id="l2">b </li></ul>'));

  it.each([
    ['a text', { intro: 'x' }, { intro: '' }, 'intro'],
    ['a list', withLinks({}), { links: [] }, 'links'],
    ['a boolean', { big: true }, { big: false }, 'big'],
    ['a number, 0 too', { count: 0 }, {}, 'count'],
  ])('with an element only if there is %s', (_, there, missing, path) => {
    const body = `<i data-if="${path}">if</i><b data-unless="${path}">unless</b>`;
    expect([filled(body, there), filled(body, missing)]).toEqual(['<i>if</i>', '<b>unless</b>']);
  });

  it('with a condition asked for each entry', () =>
    expect(
      filled('<i data-each="link of links" data-if="link.url">{{link.label}}</i>', withLinks({ url: '/' }, {})),
    ).toBe('<i>L</i>'));

  it('with the default of what is not given', () =>
    expect(filled('<p data-theme="{{theme}}"></p>', {})).toBe('<p data-theme="light"></p>'));

  it('with addresses made of parts', () =>
    expect(
      filled('<a href="mailto:{{mail}}?subject={{intro}}">m</a>', {
        mail: 'a@b.example?bcc=c@d.example',
        intro: 'x&y',
      }) + filled('<a href="tel:{{mail}}">t</a>', { mail: '+49 30 123' }),
    ).toBe('<a href="mailto:a@b.example%3Fbcc%3Dc@d.example?subject=x%26y">m</a><a href="tel:+4930123">t</a>'));

  it('without the address that is not given', () =>
    expect(filled('<a data-each="link of links" href="{{link.url}}">x</a>', withLinks({}))).toBe('<a>x</a>'));

  it('twice, with nothing left from before', () => {
    const links = template('<i data-each="link of links">{{link.label}}</i>');
    const first = links.fill({ title: 'T', ...withLinks({}, {}) });
    links.fill({ title: 'Other' });
    expect(links.fill({ title: 'T', ...withLinks({}, {}) })).toBe(first);
  });
});

describe('A value stays a text', () => {
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
  ])('%j', (value) => {
    const html = everywhere.fill({ title: value, intro: value });
    expect(shape(html)).toEqual(harmless);
    expect(html).not.toMatch(/<(script|img|b|style|math)[ >]/);
  });

  it('and is not read for placeholders', () =>
    expect(filled('<p>{{intro}}</p>', { intro: '{{title}}' })).toBe('<p>{{title}}</p>'));

  it('without controls and halves of characters', () =>
    expect(filled('<p>{{intro}}</p>', { intro: 'a\u0000\u0007b\r\nc\td\u0085\ud800e\ufffff😀' })).toBe(
      '<p>ab\nc\td\ufffdef😀</p>',
    ));

  it.each(['\u202e', '\u202a', '\u2066', '\u2069'])('and one that turns the direction (%j) is refused', (turn) =>
    expect(
      refusalOf(() => filled('<p data-each="link of links">{{link.label}}</p>', withLinks({ label: `a${turn}` }))),
    ).toMatchObject({
      code: 'invalid_request',
      faults: [{ path: 'parameters.links[0].label' }],
    }),
  );
});

describe('An address', () => {
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
  ])('of a link may be %s', (url) =>
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
  ])('of a link may not be %j', (url) => {
    const { code, faults } = refusalOf(() => link(url));
    expect([code, faults[0]?.path]).toEqual(['invalid_request', 'parameters.links[1].url']);
  });

  it.each(['images/a.png', '/a.webp', 'data:image/png;base64,iVBORw0KGgo='])('of an image may be %s', (url) =>
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
  ])('of an image may not be %j', (url) =>
    expect(refusalOf(() => image(url)).faults[0]?.path).toBe('parameters.links[0].image'),
  );

  it('after a fixed host does not leave it', () =>
    expect(filled('<a href="https://example.com/{{intro}}">x</a>', { intro: '../@evil.example/"?x#y' })).toBe(
      '<a href="https://example.com/..%2F@evil.example%2F%22%3Fx%23y">x</a>',
    ));
});

describe('Parameters are refused', () => {
  it.each<[string, object, string]>([
    ['that are missing', { title: undefined }, 'parameters.title'],
    ['that are unknown', { colour: 'red' }, 'parameters'],
    ['that are too long', { intro: 'x'.repeat(2_001) }, 'parameters.intro'],
    ['of another type', { links: [{ label: 7 }] }, 'parameters.links[0].label'],
    ['that are not among the choices', { theme: 'blue' }, 'parameters.theme'],
    ['that are not whole numbers', { count: 1.5 }, 'parameters.count'],
    ['that are too many', { links: Array.from({ length: 501 }, () => ({ label: 'x' })) }, 'parameters.links'],
  ])('%s', (_, parameters, path) =>
    expect(refusalOf(() => template('').fill({ title: 'T', ...parameters }))).toMatchObject({
      code: 'invalid_request',
      faults: [{ path }],
    }),
  );

  it.each([null, undefined, 7, 'x', []])('that are %j', (parameters) =>
    expect(refusalOf(() => template('').fill(parameters)).faults[0]?.path).toBe('parameters'),
  );

  it('that would make a page without end', () => {
    const links = Array.from({ length: 500 }, () => ({ label: 'x'.repeat(100) }));
    const body = '<i data-each="link of links"><i data-each="other of links">{{other.label}}</i></i>';
    expect(refusalOf(() => filled(body, { links })).detail).toContain('512 KiB');
  });

  it('before such a page is unfolded', () => {
    const links = Array.from({ length: 500 }, () => ({ label: '' }));
    const body = '<i data-each="a of links"><i data-each="b of links"><i data-each="c of links">x</i></i></i>';
    const begun = performance.now();
    expect(refusalOf(() => filled(body, { links })).detail).toContain('512 KiB');
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  it('for what is not their own', () => {
    const parameters = JSON.parse('{"title":"T","__proto__":{"intro":"x"}}');
    expect(refusalOf(() => template('').fill(parameters)).code).toBe('invalid_request');
  });
});

describe('A template is not loaded', () => {
  const faultOf = (attempt: () => unknown): string => {
    try {
      attempt();
    } catch (error) {
      if (error instanceof TemplateFault) return error.message;
      throw error;
    }
    return 'was loaded';
  };

  it.each([
    ['a script', '<script>{{title}}</script>'],
    ['a style', '<style>{{title}}</style>'],
    ['a comment', '<!-- {{title}} -->'],
    ['onclick', '<p onclick="{{title}}"></p>'],
    ['style', '<p style="color:{{title}}"></p>'],
    ['srcdoc', '<p srcdoc="{{title}}"></p>'],
    ['srcset', '<img alt="" srcset="{{title}}">'],
    ['the name of an attribute', '<p {{title}}></p>'],
    ['<iframe>', '<iframe title="{{title}}"></iframe>'],
    ['<object>', '<object data="{{title}}"></object>'],
    ['<template>', '<template><p>{{title}}</p></template>'],
    ['<noscript>', '<noscript>{{title}}</noscript>'],
    ['href of <use>', '<svg><use href="{{title}}"></use></svg>'],
    ['xlink:href', '<svg><a xlink:href="{{title}}"></a></svg>'],
    ['fill', '<svg><rect fill="{{title}}"></rect></svg>'],
    ['href that begins with something unsettled', '<a href="{{title}}:{{intro}}">x</a>'],
    ['href whose host is a value', '<a href="https://{{title}}/">x</a>'],
    ['src on another host', '<img alt="" src="https://example.com/{{title}}">'],
    ['target', '<a target="{{title}}">x</a>'],
  ])('with a placeholder in %s', (_, body) =>
    expect(faultOf(() => template(body))).toMatch(
      /^templates\/links\/page\.html:2:\d+ (has a placeholder in|is not well-formed)/,
    ),
  );

  it.each([
    ['<base>', '<base href="{{title}}">'],
    ['<link>', '<link rel="stylesheet" href="{{title}}">'],
    ['<meta http-equiv>', '<meta http-equiv="refresh" content="{{title}}">'],
  ])('with a placeholder in %s', (_, head) =>
    expect(faultOf(() => template('', head))).toContain('has a placeholder in'),
  );

  it.each([
    ['{{titel}}', 'is no parameter'],
    ['{{constructor}}', 'is no parameter'],
    ['{{links}}', 'of type array'],
    ['{{big}}', 'of type boolean'],
    ['{{title', 'is not a placeholder'],
    ['{{title}} }}', 'is not a placeholder'],
    ['{{a b}}', 'is not a placeholder'],
    ['{{link.url}}', 'is no parameter'],
    ['<i data-each="link of title"></i>', 'is no list'],
    ['<i data-each="links"></i>', 'is not of the form'],
    ['<i data-each="title of links"></i>', 'something else is called here'],
    ['<i data-if="nothing"></i>', 'is no parameter'],
    ['<section><p>x</p>', 'has a <section> that is not closed'],
    ['<p class="a" class="b"></p>', 'not well-formed'],
  ])('with %s', (body, why) => expect(faultOf(() => template(body))).toContain(why));

  it('with an example that it would refuse', () =>
    expect(faultOf(() => template('', '', { title: '' }))).toContain(
      'the example is not taken: invalid_request: parameters.title',
    ));

  it('with an example of more than 60 KiB', () =>
    expect(faultOf(() => template('x'.repeat(61_440)))).toContain('more than 61440'));

  it.each([
    ['no JSON', '{', 'template.json'],
    [
      'a schema that would not be kept',
      JSON.stringify({
        title: 'x',
        description: 'x',
        example: {},
        parameters: { ...schema, properties: { a: { type: 'string', maxLength: 3, contentEncoding: 'base64' } } },
      }),
      'contentEncoding',
    ],
    [
      'a text without a bound',
      JSON.stringify({
        title: 'x',
        description: 'x',
        example: {},
        parameters: { ...schema, required: [], properties: { a: { type: 'string' } } },
      }),
      'a string has a maxLength or an enum',
    ],
  ])('with %s', (_, json, why) => expect(faultOf(() => Template.read('links', json, page('')))).toContain(why));
});
