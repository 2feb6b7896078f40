import { describe, expect, it } from '@jest/globals';
import { page, schema, template } from '../../../../test/support/model/template-under-test.js';
import { Template } from './template.js';
import { TemplateError } from './template-fault.js';

describe('Invalid templates', () => {
  const faultOf = (attempt: () => unknown): string => {
    try {
      attempt();
    } catch (error) {
      if (error instanceof TemplateError) return error.message;
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
    ['href that begins with a placeholder', '<a href="{{title}}:{{intro}}">x</a>'],
    ['the host of href', '<a href="https://{{title}}/">x</a>'],
    ['src of another host', '<img alt="" src="https://example.com/{{title}}">'],
    ['target', '<a target="{{title}}">x</a>'],
  ])('a placeholder in %s is refused', (_, body) =>
    expect(faultOf(() => template(body))).toMatch(
      /^templates\/links\/page\.html:2:\d+ (has a placeholder in|is not well-formed)/,
    ),
  );

  it.each([
    ['<base>', '<base href="{{title}}">'],
    ['<link>', '<link rel="stylesheet" href="{{title}}">'],
    ['<meta http-equiv>', '<meta http-equiv="refresh" content="{{title}}">'],
  ])('a placeholder is refused in this part of the head: %s', (_, head) =>
    expect(faultOf(() => template('', head))).toContain('has a placeholder in'),
  );

  it.each([
    ['{{titel}}', 'is not a parameter'],
    ['{{constructor}}', 'is not a parameter'],
    ['{{links}}', 'of type array'],
    ['{{big}}', 'of type boolean'],
    ['{{title', 'outside a placeholder'],
    ['{{title}} }}', 'outside a placeholder'],
    ['{{a b}}', 'outside a placeholder'],
    ['{{link.url}}', 'is not a parameter'],
    ['<i data-each="link of title"></i>', 'is not an array parameter'],
    ['<i data-each="links"></i>', 'is not of the form'],
    ['<i data-each="title of links"></i>', 'already in use here'],
    ['<i data-if="nothing"></i>', 'is not a parameter'],
    ['<section><p>x</p>', 'has a <section> that is not closed'],
    ['<p class="a" class="b"></p>', 'not well-formed'],
  ])('the markup %s is refused', (body, why) => expect(faultOf(() => template(body))).toContain(why));

  it('an example page with invalid values is refused', () =>
    expect(faultOf(() => template('', '', { title: '' }))).toContain(
      'the example is not valid: invalid_request: `parameters.title`',
    ));

  it('an example page of more than 60 KiB is refused', () =>
    expect(faultOf(() => template('x'.repeat(61_440)))).toContain('the limit is 60 KiB'));

  it.each([
    ['invalid JSON', '{', 'template.json'],
    [
      'an unknown member',
      JSON.stringify({ title: 'x', description: 'x', example: {}, parameters: schema, colour: 'red' }),
      'colour',
    ],
    [
      'an unsupported schema keyword',
      JSON.stringify({
        title: 'x',
        description: 'x',
        example: {},
        parameters: { ...schema, properties: { a: { type: 'string', maxLength: 3, contentEncoding: 'base64' } } },
      }),
      'contentEncoding',
    ],
    [
      'a string without a maximum length',
      JSON.stringify({
        title: 'x',
        description: 'x',
        example: {},
        parameters: { ...schema, required: [], properties: { a: { type: 'string' } } },
      }),
      'must have a maxLength or an enum',
    ],
  ])('a template.json with %s is refused', (_, json, why) =>
    expect(faultOf(() => Template.read('links', json, page('')))).toContain(why),
  );
});
