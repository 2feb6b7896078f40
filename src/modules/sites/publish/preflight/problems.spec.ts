import { describe, expect, it } from '@jest/globals';
import { digestOf } from '../../../../../test/support/events/site-examples.js';
import { cpuClock } from '../../../../../test/support/hostile/cpu-clock.js';
import { findProblems } from './problems.js';

const limits = { files: 10, fileBytes: 100, deployBytes: 150, bodyBytes: 1 };
const file = (path: string, size = 1) => ({ path, size, sha256: digestOf('a') });
const codes = async (...files: ReturnType<typeof file>[]) =>
  (await findProblems(files, limits)).map(({ path, code }) => [path, code]);

describe('Problems found before a deploy', () => {
  it('no problems are found if all files are valid', async () => {
    expect(await codes(file('index.html'), file('café/menu.txt', 100), file('./a.css'))).toEqual([]);
  });

  it('every problem is listed with the path that was sent', async () => {
    expect(await codes(file('../x'), file('ok'), file('.env'), file('OK'), file('ok/inside'), file('./ok'))).toEqual([
      ['../x', 'invalid_path'],
      ['.env', 'blocked_path'],
      ['OK', 'invalid_path'],
      ['ok/inside', 'invalid_path'],
      ['./ok', 'invalid_path'],
    ]);
  });

  it('files over the file size limit, and a total over the size limit, are reported', async () => {
    expect(await codes(file('a', 101))).toEqual([['a', 'too_large']]);
    expect(await codes(file('a', 100), file('b', 50))).toEqual([]);
    expect(await codes(file('a', 100), file('b', 51))).toEqual([[undefined, 'too_large']]);
  });

  it('a site without files is reported', async () => {
    expect(await codes()).toEqual([[undefined, 'no_files']]);
  });

  it('problems are found in bounded time even for paths with thousands of combining marks', async () => {
    const marks = '\u0301\u0323'.repeat(5_000);
    const spent = cpuClock();
    const found = await codes(...Array.from({ length: 100 }, (_, index) => file(`${index}${marks}`, 0)));
    expect(found.map(([, code]) => code)).toEqual(Array(100).fill('invalid_path'));
    expect(spent()).toBeLessThan(2_000);
  });

  it('the message of a problem names the path', async () => {
    const [problem] = await findProblems([file('a\\b')], limits);
    expect(problem?.message).toBe('“a\\b” contains a backslash; separate folders with /.');
  });
});
