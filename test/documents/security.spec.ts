import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const security = readFileSync('docs/security.md', 'utf8');
const asvs = readFileSync('docs/asvs.md', 'utf8');

/** Returns the files that a document names in backticks or links to. */
const named = (text: string) => [
  ...[...text.matchAll(/`((?:src|test|tools|docs|bench)\/[^`\s]+)`/g)].map(([, path = '']) => path),
  ...[...text.matchAll(/\]\(((?!https?:)[^)#]+)[^)]*\)/g)].map(([, path = '']) => `docs/${path}`),
];

describe('The security documentation', () => {
  it.each([
    ['security.md', security],
    ['asvs.md', asvs],
  ])('%s refers only to existing files', (_, text) => {
    expect(named(text).length).toBeGreaterThan(3);
    expect(named(text).filter((path) => !existsSync(path))).toEqual([]);
  });

  it('the document names a test for each security boundary', () => {
    const rows = section(security, 'Security boundaries')
      .split('\n')
      .filter((line) => /^\| (?!Between)/.test(line));
    expect(rows.length).toBeGreaterThan(15);
    expect(rows.filter((row) => !/`[\w./-]*spec\.ts`|`tools\//.test(row))).toEqual([]);
  });

  it('the stated numbers of met, unmet and inapplicable requirements match the tables', () => {
    const states = [...asvs.matchAll(/^\| (\d+\.\d+\.\d+) \| [^|]+ \| \**([\w ]+?)\** \|/gm)];
    const count = (wanted: string) => states.filter(([, , state]) => state === wanted).length;
    expect(new Set(states.map(([, number]) => number)).size).toBe(253);
    expect(asvs).toContain(
      `has ${states.length} requirements in levels 1 and 2. Stele meets ${count('met')} of them, ${count('not applicable')} do not apply because it lacks the feature in question, and ${count('not met')} are not met`,
    );
  });
});

const section = (text: string, title: string) => text.split('\n## ').find((each) => each.startsWith(title)) ?? '';
