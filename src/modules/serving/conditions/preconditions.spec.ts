import { describe, expect, it } from '@jest/globals';
import { canSendPart, evaluate, requestFields, type Validators } from './preconditions.js';

const modifiedAt = Date.UTC(2026, 10, 20, 12);
const at = (seconds: number) => new Date(modifiedAt + seconds * 1_000).toUTCString();
const file = { etags: ['"own"', '"other"'], modifiedAt };
const before = at(-1);
const then = at(0);
const after = at(1);

/** Returns `go`, `failed`, or the entity tag of the 304 response for a request with these preconditions. */
const verdict = (fields: Record<string, string>, validators: Validators = file) => {
  const result = evaluate(requestFields(Object.entries(fields).flat()), validators);
  return typeof result === 'string' ? result : result.same;
};

describe('Preconditions of a GET request', () => {
  it.each([
    ['"own"', '"own"'],
    ['W/"own"', '"own"'],
    ['"x", "own"', '"own"'],
    ['"x",W/"other","y"', '"other"'],
    ['  "own"  ', '"own"'],
    ['"a,b", "own"', '"own"'],
    ['*', '"own"'],
    [' * ', '"own"'],
    ['"owner"', 'go'],
    ['"ow"', 'go'],
    ['own', 'go'],
    ['w/"own', 'go'],
    ['"*"', 'go'],
    ['', 'go'],
    [',', 'go'],
    ['"OWN"', 'go'],
    [`${'"x",'.repeat(4_000)}"`, 'go'],
  ])('If-None-Match: %s results in %s', (field, expected) =>
    expect(verdict({ 'if-none-match': field })).toBe(expected),
  );

  it.each([
    ['"own"', 'go'],
    ['"x", "other"', 'go'],
    ['*', 'go'],
    ['W/"own"', 'failed'],
    ['"x"', 'failed'],
    ['', 'failed'],
  ])('If-Match: %s, which compares strongly, results in %s', (field, expected) =>
    expect(verdict({ 'if-match': field })).toBe(expected),
  );

  it.each([
    [before, 'go'],
    [then, '"own"'],
    [after, '"own"'],
    ['yesterday', 'go'],
    [`${then}, ${then}`, 'go'],
  ])('If-Modified-Since: %s results in %s', (field, expected) =>
    expect(verdict({ 'if-modified-since': field })).toBe(expected),
  );

  it.each([
    [before, 'failed'],
    [then, 'go'],
    [after, 'go'],
    ['yesterday', 'go'],
  ])('If-Unmodified-Since: %s results in %s', (field, expected) =>
    expect(verdict({ 'if-unmodified-since': field })).toBe(expected),
  );

  it.each([
    [
      'If-None-Match takes precedence over If-Modified-Since',
      { 'if-none-match': '"x"', 'if-modified-since': after },
      'go',
    ],
    [
      'a matching If-None-Match takes precedence over If-Modified-Since',
      { 'if-none-match': '"own"', 'if-modified-since': before },
      '"own"',
    ],
    [
      'If-Match takes precedence over If-Unmodified-Since',
      { 'if-match': '"own"', 'if-unmodified-since': before },
      'go',
    ],
    ['a failed If-Match prevents a 304', { 'if-match': '"x"', 'if-none-match': '"own"' }, 'failed'],
    ['If-Match and If-None-Match both match', { 'if-match': '"own"', 'if-none-match': '"own"' }, '"own"'],
    [
      'a failed If-Unmodified-Since prevents a 304',
      { 'if-unmodified-since': before, 'if-none-match': '"own"' },
      'failed',
    ],
  ])('preconditions are evaluated in the order of RFC 9110 section 13.2.2: %s', (_, fields, expected) =>
    expect(verdict(fields)).toBe(expected),
  );

  it('preconditions on dates are ignored if the file has no date', () => {
    const timeless = { ...file, modifiedAt: null };
    expect(verdict({ 'if-modified-since': after }, timeless)).toBe('go');
    expect(verdict({ 'if-unmodified-since': before }, timeless)).toBe('go');
  });
});

describe('If-Range', () => {
  it.each([
    [undefined, true],
    ['"own"', true],
    ['"other"', false],
    ['W/"own"', false],
    ['"own", "other"', false],
    [then, true],
    [before, false],
    [after, false],
    ['*', false],
    ['', false],
  ])('If-Range: %s allows a partial response: %j', (field, allowed) => expect(canSendPart(field, file)).toBe(allowed));
});
