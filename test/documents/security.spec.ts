import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const security = readFileSync('docs/security.md', 'utf8');
const asvs = readFileSync('docs/asvs.md', 'utf8');

/** What a document names in the repository: paths in backticks, and links. */
const named = (text: string) => [
  ...[...text.matchAll(/`((?:src|test|tools|docs|bench)\/[^`\s]+)`/g)].map(([, path = '']) => path),
  ...[...text.matchAll(/\]\(((?!https?:)[^)#]+)[^)]*\)/g)].map(([, path = '']) => `docs/${path}`),
];

describe('What is said of security', () => {
  it.each([
    ['security.md', security],
    ['asvs.md', asvs],
  ])('names in %s only what is there', (_, text) => {
    expect(named(text).length).toBeGreaterThan(3);
    expect(named(text).filter((path) => !existsSync(path))).toEqual([]);
  });

  it('has a test for each boundary', () => {
    const rows = section(security, 'The boundaries')
      .split('\n')
      .filter((line) => /^\| (?!Between)/.test(line));
    expect(rows.length).toBeGreaterThan(15);
    expect(rows.filter((row) => !/`[\w./-]*spec\.ts`|`tools\//.test(row))).toEqual([]);
  });

  it('counts what is met, what is not, and what does not apply, as its table has it', () => {
    const states = [...asvs.matchAll(/^\| (\d+\.\d+\.\d+) \| [^|]+ \| \**([\w ]+?)\** \|/gm)];
    const count = (wanted: string) => states.filter(([, , state]) => state === wanted).length;
    expect(new Set(states.map(([, number]) => number)).size).toBe(253);
    expect(asvs).toContain(
      `has ${states.length} requirements up to its level 2. Of these ${count('met')} are met, ${count('not applicable')} concern something that the service does not have, and ${count('not met')} are not met`,
    );
  });
});

const section = (text: string, title: string) => text.split('\n## ').find((each) => each.startsWith(title)) ?? '';
