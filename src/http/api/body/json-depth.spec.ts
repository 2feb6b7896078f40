import { describe, expect, it } from '@jest/globals';
import { nestsDeeper } from './json-depth.js';

const of = (text: string, most: number) => nestsDeeper(Buffer.from(text), most);

describe('The depth of JSON', () => {
  it('is that of its lists and objects in each other', () => {
    expect(of('[{"a":[1]}]', 3)).toBe(false);
    expect(of('[{"a":[1]}]', 2)).toBe(true);
    expect(of('[[],[],[],{}]', 2)).toBe(false);
    expect(of('1', 0)).toBe(false);
  });

  it('is not made by what stands in texts', () => {
    expect(of('["[[[[{{{{"]', 1)).toBe(false);
    expect(of(String.raw`["\"[[[\\", "\\"]`, 1)).toBe(false);
    expect(of(String.raw`["\\", [[1]]]`, 2)).toBe(true);
  });
});
