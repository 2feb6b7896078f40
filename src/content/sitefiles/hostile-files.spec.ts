import { describe, expect, it } from '@jest/globals';
import { cpuClock } from '../../../test/support/hostile/cpu-clock.js';
import { hostileHeaders, hostilePaths, hostileRedirects } from '../../../test/support/sites/hostile-site-files.js';
import { HeadersFile } from './headers-file.js';
import type { PathPattern } from './path-pattern.js';
import { readSiteFile } from './read-site-file.js';
import { RedirectIndex } from './redirect-index.js';
import { RedirectsFile } from './redirects-file.js';
import { RequestPath } from './request-path.js';
import { MAX_LINE_LENGTH, MAX_READ_BYTES, MAX_WARNINGS, READ_IN_A_TURN } from './site-file-limits.js';

type Lines = RedirectsFile | HeadersFile;
const files: [string, string, () => Lines][] = [
  ...hostileRedirects.map(([name, text]) => [name, text, () => new RedirectsFile()] as [string, string, () => Lines]),
  ...hostileHeaders.map(([name, text]) => [name, text, () => new HeadersFile()] as [string, string, () => Lines]),
];

/**
 * Maximum number of characters processed in one turn of the event loop. A line that was started is always completed.
 */
const IN_A_TURN = READ_IN_A_TURN + MAX_LINE_LENGTH + 1;

describe('A hostile configuration file', () => {
  it.each(files)('a file of %s is parsed in small steps and causes few warnings', async (_, text, make) => {
    const lines = make();
    const turns = await readCounting(text, lines);
    expect(Math.max(...turns)).toBeLessThanOrEqual(IN_A_TURN);
    expect(lines.warnings.all.length).toBeLessThanOrEqual(MAX_WARNINGS + 1);
  });

  it.each(files)(
    'matching a request against a file of %s takes at most one step per character of the file',
    async (_, text, make) => {
      const lines = make();
      await readSiteFile(arriving(text), lines);
      for (const path of hostilePaths) expect(stepsOf(lines, path)).toBeLessThanOrEqual(MAX_READ_BYTES);
    },
  );
});

describe('A configuration file with many combining marks', () => {
  const marks = '\u0301\u0323'.repeat(3_900);
  it.each<[string, string, () => Lines]>([
    ['paths', `/a${marks} /b\n`.repeat(32), () => new RedirectsFile()],
    ['destinations', `/a /b${marks}\n`.repeat(32), () => new RedirectsFile()],
    ['hosts', `/a https://b${marks}/\n`.repeat(32), () => new RedirectsFile()],
    ['paths', `/a${marks}\n x: y\n`.repeat(32), () => new HeadersFile()],
  ])('lines with many combining marks in %s are parsed quickly and ignored', async (_, text, make) => {
    const spent = cpuClock();
    for (let time = 0; time < 10; time++) {
      const lines = make();
      await readSiteFile(arriving(text), lines);
      expect(lines instanceof RedirectsFile ? lines.redirects : lines.rules).toEqual([]);
    }
    expect(spent()).toBeLessThan(2_000);
  });
});

/** Returns the number of characters processed in each turn of the event loop. */
async function readCounting(text: string, lines: Lines) {
  const turns = [0];
  let ticking = true;
  const tick = () => {
    turns.push(0);
    if (ticking) setImmediate(tick);
  };
  setImmediate(tick);
  const counting = {
    warnings: lines.warnings,
    line: (written: string, number: number) => {
      turns[turns.length - 1]! += Math.min(written.length, MAX_LINE_LENGTH) + 1;
      lines.line(written, number);
    },
    end: () => lines.end(),
  };
  await readSiteFile(arriving(text), counting);
  ticking = false;
  return turns;
}

/** Counts accesses to parts of patterns while a request is matched against all rules. */
function stepsOf(lines: Lines, path: string) {
  let steps = 0;
  const counted = <Part>(parts: readonly Part[]) =>
    new Proxy(parts, {
      get: (target, key) => {
        if (typeof key === 'string' && /^\d+$/.test(key)) steps++;
        return Reflect.get(target, key);
      },
    });
  const watched = (pattern: PathPattern) => ({ ...pattern, head: counted(pattern.head), tail: counted(pattern.tail) });

  const requestPath = new RequestPath(path);
  if (lines instanceof RedirectsFile) {
    const index = new RedirectIndex(lines.redirects.map((one) => ({ ...one, from: watched(one.from) })));
    // Reset the counter, because the index is built once per site and not for each request.
    steps = 0;
    for (const _ of index.matching(requestPath, '?a=b')) steps++;
  } else for (const rule of lines.rules) requestPath.match(watched(rule.path));
  return steps;
}

async function* arriving(text: string) {
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += 65_536) yield bytes.subarray(from, from + 65_536);
}
