import { describe, expect, it } from '@jest/globals';
import { JsonObject, wellFormed } from './json-object.js';

const nested = (depth: number) => JSON.parse(`${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`);

describe('A JSON object with any members', () => {
  it.each([{}, { a: [1, { b: null }] }, { 'a\u0000': '\u0000' }, nested(32)])(
    'the JSON object %j is accepted',
    (value) => expect(JsonObject.safeParse(value)).toMatchObject({ success: true }),
  );

  it.each([
    ['a list', []],
    ['a string', 'a'],
    ['null', null],
    ['nested 33 levels deep', nested(33)],
    ['nested more deeply than the stack allows', JSON.parse(`{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`)],
    ['an object with a number that is too large for a double', JSON.parse('{"a":[1e999]}')],
  ])('a value is rejected as a JSON object if it is %s', (_, value) =>
    expect(JsonObject.safeParse(value).success).toBe(false),
  );

  it('lone surrogates are replaced, and everything else is kept', () =>
    expect(wellFormed({ '\ud800': ['\udc00', { a: '\ud83d\ude00' }], n: 1, no: null })).toEqual({
      '\ufffd': ['\ufffd', { a: '\ud83d\ude00' }],
      n: 1,
      no: null,
    }));

  it('members are kept even if they are named like built-in object properties, such as `constructor`', () => {
    const value = JSON.parse('{"__proto__":{"a":"\\ud800"},"constructor":1}');
    expect(JSON.stringify(wellFormed(value))).toBe('{"__proto__":{"a":"\ufffd"},"constructor":1}');
  });
});
