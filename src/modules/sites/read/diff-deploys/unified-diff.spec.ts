import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type Side, unifiedDiff } from './unified-diff.js';

const side = (name: string, text: string | Buffer | null): Side => ({
  name,
  bytes: text === null ? null : Buffer.from(text),
});
const diff = (before: string | Buffer | null, after: string | Buffer | null) =>
  unifiedDiff('a.txt', side('dep_1', before), side('dep_2', after));

describe('A unified diff', () => {
  // A comparison is abandoned after two seconds. The clock is stopped here, so that only the number of edits is
  // limited.
  beforeEach(() => void jest.spyOn(Date, 'now').mockReturnValue(0));
  afterEach(() => void jest.restoreAllMocks());

  it('has the format of diff -u', async () =>
    expect(await diff('one\ntwo\nthree\n', 'one\n2\nthree\n')).toBe(
      '--- a/a.txt\tdep_1\n+++ b/a.txt\tdep_2\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n',
    ));

  it('is empty if nothing changed', async () => expect(await diff('same\n', 'same\n')).toBe(''));

  it('shows the missing side of an added or removed file as /dev/null', async () => {
    expect(await diff(null, 'x\n')).toBe('--- /dev/null\tdep_1\n+++ b/a.txt\tdep_2\n@@ -0,0 +1,1 @@\n+x\n');
    expect(await diff('x\n', null)).toContain('+++ /dev/null\tdep_2\n@@ -1,1 +0,0 @@\n-x\n');
  });

  it.each([
    ['contains a NUL character', Buffer.from('a\0b')],
    ['is not UTF-8', Buffer.from([0xff, 0xfe])],
  ])('only reports that the files differ if one of them %s', async (_, bytes) =>
    expect(await diff('text\n', bytes)).toBe('Binary files a/a.txt and b/a.txt differ\n'),
  );

  it('only reports that the files differ if the comparison takes too long', async () => {
    jest.restoreAllMocks();
    const lines = (seed: number) => Array.from({ length: 60_000 }, (_, at) => `${(at * seed) % 7_919}`).join('\n');
    expect(await diff(lines(31), lines(57))).toBe('Files a/a.txt and b/a.txt differ\n');
  });
});
