import { describe, expect, it } from '@jest/globals';
import { matchesEtag } from './matches-etag.js';

describe('If-None-Match', () => {
  it.each([
    ['"abc"', true],
    ['W/"abc"', true],
    ['"x", "abc"', true],
    ['"x",W/"abc","y"', true],
    ['  "abc"  ', true],
    ['*', true],
    [' * ', true],
    ['"abcd"', false],
    ['"ab"', false],
    ['abc', false],
    ['w/"abc"', false],
    ['"*"', false],
    ['', false],
    [',', false],
    ['"ABC"', false],
  ])('%j names the etag: %j', (header, matches) => expect(matchesEtag(header, '"abc"')).toBe(matches));

  it('names nothing when it is not there', () => expect(matchesEtag(undefined, '"abc"')).toBe(false));
});
