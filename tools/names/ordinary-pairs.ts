/**
 * Generates the table in src/modules/serving/content/ordinary-names.ts. For each pair of letters in ordinary file
 * names, the table contains the information in bits that the second letter carries after the first. Uses every second
 * name in the list. The test uses all names.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { ALPHABET, DIGITS, symbolsOf } from '../../src/modules/serving/content/ordinary-names.ts';

const LIST = new URL('../../test/support/sites/names/ordinary.txt', import.meta.url);
const MODULE = new URL('../../src/modules/serving/content/ordinary-names.ts', import.meta.url);

const counts = new Map<string, number>();
for (const [at, name] of readFileSync(LIST, 'utf8').trim().split('\n').entries()) {
  if (at % 2 === 1) continue;
  const symbols = symbolsOf(name.replace(/\.[^.]*$/, ''));
  for (let n = 1; n < symbols.length; n++) {
    const pair = symbols.slice(n - 1, n + 1);
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
}
const lines = [...ALPHABET].map((first) => {
  // Adds a little to each count, because a pair that is missing in the list is rare, not impossible.
  const row = [...ALPHABET].map((next) => (counts.get(first + next) ?? 0) + 0.3);
  const all = row.reduce((sum, count) => sum + count, 0);
  const bits = row.map((count) => Math.min(61, Math.round(-4 * Math.log2(count / all))));
  return `  '${bits.map((quarters) => DIGITS.charAt(quarters)).join('')}',`;
});
const source = readFileSync(MODULE, 'utf8');
const start = 'const PAIRS = [\n';
const from = source.indexOf(start) + start.length;
writeFileSync(MODULE, `${source.slice(0, from)}${lines.join('\n')}\n${source.slice(source.indexOf('];', from))}`);
