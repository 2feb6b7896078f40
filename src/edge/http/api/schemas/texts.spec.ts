import { describe, expect, it } from '@jest/globals';
import { ShownName, singleLine } from './texts.js';

const faultsOf = (schema: typeof ShownName, text: string) =>
  schema.safeParse(text).error?.issues.map(({ message }) => message) ?? [];

const NOT_A_LINE = 'must be a single line without control characters or characters that change the text direction';

describe('A text field of a single line', () => {
  const line = singleLine(10);

  it('a single-line field is trimmed and normalized before its length is checked', () => {
    expect(line.parse('  a b  ')).toBe('a b');
    expect(line.parse('e\u0301'.repeat(10))).toBe('\u00e9'.repeat(10));
    expect(line.parse('   ')).toBe('');
    expect(line.safeParse('a'.repeat(11)).success).toBe(false);
  });

  it.each(['שלום', '👩‍👩‍👧', 'a\u200cb', '“a” & <b>'])('a single-line field can contain %j', (text) =>
    expect(line.parse(text)).toBe(text),
  );

  it.each([
    ['a line break', 'a\nb'],
    ['NUL', 'a\u0000b'],
    ['an escape character', 'a\u001bb'],
    ['a C1 control character', 'a\u0085b'],
    ['a line separator', 'a\u2028b'],
    ['a paragraph separator', 'a\u2029b'],
    ['an Arabic letter mark', 'a\u061cb'],
    ['a left-to-right mark', 'a\u200eb'],
    ['a right-to-left mark', 'a\u200fb'],
    ['an embedding', 'a\u202bb'],
    ['an override', 'a\u202eb'],
    ['an isolate', 'a\u2067b'],
  ])('a single-line field cannot contain %s', (_, text) => {
    expect(faultsOf(line, text)).toEqual([NOT_A_LINE]);
    expect(new RegExp(String(line.meta()?.pattern)).test(text)).toBe(false);
    expect(new RegExp(String(ShownName.meta()?.pattern)).test(text)).toBe(false);
  });

  it('a single-line field cannot contain an unpaired surrogate', () =>
    expect(faultsOf(line, 'a\ud800b')).toEqual(['must be well-formed Unicode']));

  it('a single-line field cannot contain more than 30 combining marks in a row', () =>
    expect(faultsOf(singleLine(100), `a${'\u0316'.repeat(31)}`)).toEqual([
      'must not have more than 30 combining marks in a row',
    ]));
});

it('a name is a single-line field that is not blank', () => {
  expect(ShownName.parse(' Ann ')).toBe('Ann');
  expect(ShownName.safeParse('  ').success).toBe(false);
  expect(faultsOf(ShownName, 'a\u200eb')).toEqual([NOT_A_LINE]);
});
