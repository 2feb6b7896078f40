import { describe, expect, it } from '@jest/globals';
import { ignoredPatterns, leftOut, readTestFile, readTestFiles, selectedOf } from '../../tools/test/test-files.ts';

const SYSTEM = 'test/builds/a.system-spec.ts';
const everythingMet = () => null;

describe('The comment at the head of a test file', () => {
  it('the head comment of a test file adds to the needs of its kind of test', () => {
    const { needs, only } = readTestFile('test/http/a.http-spec.ts', '// needs: curl, git\n\nimport x;\n');
    expect([needs, only]).toEqual([['database', 'curl', 'git'], null]);
  });

  it('a unit test without a head comment needs nothing', () => {
    expect(readTestFile('src/a.spec.ts', 'import x;\n').needs).toEqual([]);
  });

  it('a system test without a head comment is refused', () => {
    expect(() => readTestFile(SYSTEM, 'import x;\n// needs: git\n')).toThrow('must declare what it needs');
  });

  it('an unknown need is refused, and the error names it', () => {
    expect(() => readTestFile(SYSTEM, '// needs: git, chrome\n')).toThrow('“chrome”');
  });

  it('the head comment of a long test can name the command-line word that selects the test', () => {
    const head = '// needs: docker\n// only: compose\n';
    expect(readTestFile('test/compose/a.long-spec.ts', head).only).toBe('compose');
    expect(readTestFile('test/compose/a.long-spec.ts', '// needs: docker\n').only).toBe('long-spec');
  });

  it('a file whose name does not match a kind of test is refused', () => {
    expect(() => readTestFile('test/a.repo-spec.ts', '// needs: git\n')).toThrow('has no kind of test');
  });

  it('every test file in the project has a valid head comment', () => {
    expect(readTestFiles().length).toBeGreaterThan(500);
  });
});

describe('Files left out of a test run', () => {
  const browser = readTestFile('test/browser/a.system-spec.ts', '// needs: database, chromium\n');
  const git = readTestFile('test/repositories/a.system-spec.ts', '// needs: database, git\n');
  const points = readTestFile('test/faults/points/a.long-spec.ts', '// needs: git\n// only: points\n');

  it('test files with an unmet need are left out, grouped by reason', () => {
    const withoutChromium = (needs: readonly string[]) => (needs.includes('chromium') ? 'Chromium is missing' : null);
    expect(leftOut([], [browser, git], withoutChromium)).toEqual([
      { reason: 'Chromium is missing', paths: [browser.path], isByName: false },
    ]);
  });

  it('no file is left out if every need is met', () => {
    expect(leftOut([], [browser, git], everythingMet)).toEqual([]);
  });

  it('long tests are left out unless they are selected by name', () => {
    expect(leftOut(['faults'], [points], everythingMet)).toMatchObject([{ paths: [points.path], isByName: true }]);
    expect(leftOut(['faults/points/'], [points], everythingMet)).toEqual([]);
    expect(leftOut(['a.long-spec'], [points], everythingMet)).toEqual([]);
  });

  it('a long test that is selected by name is left out if a need is unmet', () => {
    expect(leftOut(['points'], [points], () => 'git is missing')).toMatchObject([{ isByName: false }]);
  });

  it('the ignore patterns passed to Jest match exactly the test files that are to be skipped', () => {
    const [pattern = ''] = ignoredPatterns(leftOut([], [points], everythingMet));
    expect(
      ['/root/test/faults/points/a.long-spec.ts', '/root/test/faults/points/b.long-spec.ts'].map((path) =>
        new RegExp(pattern).test(path),
      ),
    ).toEqual([true, false]);
  });

  it('the command line can select which of the left-out files are listed; by default, all of them are', () => {
    const skipped = leftOut([], [browser, git, points], () => 'a program is missing');
    const listed = (...asked: string[]) => selectedOf(skipped, asked).flatMap(({ paths }) => paths);
    const all = [browser.path, git.path, points.path];
    expect(listed()).toEqual(all);
    expect(listed('history/summary')).toEqual([]);
    expect(listed('history/summary', 'Browser/.*system')).toEqual([browser.path]);
    expect(listed('repositories', '-t', 'faults')).toEqual([git.path]);
    expect(listed('--verbose', '-t', 'no file has this name')).toEqual(all);
    expect(listed('(')).toEqual(all);
  });
});
