import { describe, expect, it } from '@jest/globals';
import { filesToRepeat, withRepeated } from '../../tools/test/repeat-failures.ts';

const results = (passed: number, failures: [file: string | undefined, name: string][]) => ({
  ...{ passed, failed: failures.length, failures },
  ...{ seconds: [], cpuOfFiles: [] },
});

describe('Test files that failed in a whole run', () => {
  it('up to three files are run again, each once', () => {
    const failures: [string, string][] = ['a', 'b', 'a', 'c'].map((file) => [file, 'fails']);
    expect(filesToRepeat(results(9, failures))).toEqual(['a', 'b', 'c']);
  });

  it('no file is run again if four files failed', () => {
    expect(
      filesToRepeat(
        results(9, [
          ['a', ''],
          ['b', ''],
          ['c', ''],
          ['d', ''],
        ]),
      ),
    ).toEqual([]);
  });

  it('no file is run again if the run itself failed', () => {
    expect(
      filesToRepeat(
        results(9, [
          ['a', ''],
          [undefined, 'Jest exited with 1'],
        ]),
      ),
    ).toEqual([]);
  });

  it('failed tests whose files passed in the second run count as passed and are listed', () => {
    const both = withRepeated(results(9, [['a', 'waits']]), results(4, []));
    expect([both.passed, both.failed, both.failures, both.unstable]).toEqual([10, 0, [], [['a', 'waits']]]);
  });

  it.each([
    ['a test failed again', results(3, [['a', 'waits']])],
    ['another test failed', results(3, [['a', 'reads']])],
    ['no test ran', results(0, [])],
  ])('the failures of the first run count if in the second run %s', (_, second) => {
    const both = withRepeated(results(9, [['a', 'waits']]), second);
    expect([both.passed, both.failed, both.unstable]).toEqual([9, 1, []]);
  });
});
