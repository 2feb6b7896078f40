import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { eitherOr, having, ifHaving, lacking, oneAtLeast } from './having.js';

const ajv = new Ajv2020({ strict: false });
const accepts = (condition: object, body: object) => ajv.validate({ type: 'object', ...condition }, body);

describe('Conditions on several body members', () => {
  it.each<[string, object, readonly object[], readonly object[]]>([
    ['having', having('a'), [{ a: 1 }, { a: null, b: 1 }], [{}, { b: 1 }]],
    ['lacking', lacking('a', 'b'), [{}, { c: 1 }], [{ a: 1 }, { b: 1, c: 1 }, { a: 1, b: 1 }]],
    ['lacking with a single name', lacking('a'), [{}, { b: 1 }], [{ a: 1 }]],
    ['oneAtLeast', oneAtLeast('a', 'b'), [{ a: 1 }, { b: 1 }, { a: 1, b: 1 }], [{}, { c: 1 }]],
    ['ifHaving', ifHaving('a', having('b')), [{}, { c: 1 }, { a: 1, b: 1 }], [{ a: 1 }]],
    ['eitherOr', eitherOr('a', 'b'), [{ a: 1 }, { b: 1, c: 1 }], [{}, { c: 1 }, { a: 1, b: 1 }]],
  ])('the condition %s accepts and rejects the right bodies', (_, condition, accepted, refused) => {
    for (const body of accepted) expect([body, accepts(condition, body)]).toEqual([body, true]);
    for (const body of refused) expect([body, accepts(condition, body)]).toEqual([body, false]);
  });

  it('conditions contain no boolean schema and no keyword from which client generators derive types', () => {
    for (const condition of [having('a'), lacking('a', 'b'), oneAtLeast('a', 'b'), eitherOr('a', 'b')]) {
      expect(Object.keys(condition).filter((key) => ['oneOf', 'anyOf', 'allOf'].includes(key))).toEqual([]);
      expect(JSON.stringify(condition)).not.toContain('true');
    }
  });
});
