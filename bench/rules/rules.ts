import { hash } from 'node:crypto';
import type { HeadersFile as Headers } from '../../src/content/sitefiles/headers-file.js';
import type { RedirectsFile as Redirects } from '../../src/content/sitefiles/redirects-file.js';
import { hostileHeaders, hostilePaths, hostileRedirects } from '../../test/support/sites/hostile-site-files.ts';
import { product } from '../product.ts';

const { encodeManifest, decodeManifest } = await product('storage/blobs/manifest.js');
const { resolve } = await product('modules/serving/rules/resolve.js');
const { chooseHeaders } = await product('modules/serving/rules/site-rules.js');
const { withChosenHeaders } = await product('modules/serving/rules/with-chosen-headers.js');
const { HeadersFile } = await product('content/sitefiles/headers-file.js');
const { readSiteFile } = await product('content/sitefiles/read-site-file.js');
const { READ_IN_A_TURN } = await product('content/sitefiles/site-file-limits.js');
const { RedirectIndex } = await product('content/sitefiles/redirect-index.js');
const { RedirectsFile } = await product('content/sitefiles/redirects-file.js');

/**
 * Target: maximum time in milliseconds for which the event loop is blocked, both while a rules file is read and while a
 * request is handled.
 */
const HOLD = 10;
const ROUNDS = 12;

/**
 * Returns the shortest time of each line or request over all rounds, because other load on the machine can only make it
 * longer.
 */
const undisturbed = (rounds: readonly number[][]): number[] =>
  (rounds[0] ?? []).map((_, turn) => Math.min(...rounds.map((times) => times[turn] ?? Number.NaN)));

const { digest, text } = encodeManifest([{ path: 'index.html', sha256: hash('sha256', 'a'), size: 1 }]);
const manifest = decodeManifest(digest, text);

type Lines = Redirects | Headers;

async function* arriving(bytes: Buffer) {
  for (let from = 0; from < bytes.length; from += 65_536) yield bytes.subarray(from, from + 65_536);
}

/** Returns the time for reading each line, in milliseconds, and the length of each line. */
async function readingLines(bytes: Buffer, lines: Lines) {
  const times: number[] = [];
  const lengths: number[] = [];
  const line = (written: string, number: number) => {
    const before = performance.now();
    lines.line(written, number);
    times.push(performance.now() - before);
    lengths.push(written.length + 1);
  };
  await readSiteFile(arriving(bytes), { warnings: lines.warnings, line, end: () => lines.end() });
  return { times, lengths };
}

/**
 * Returns the longest time for which the event loop is blocked while lines with these reading times and lengths are
 * read.
 */
function longestTurn(times: readonly number[], lengths: readonly number[]): number {
  let [longest, turn, room] = [0, 0, READ_IN_A_TURN as number];
  for (const [n, time] of times.entries()) {
    turn += time;
    room -= lengths[n] ?? 0;
    longest = Math.max(longest, turn);
    if (room < 0) [turn, room] = [0, READ_IN_A_TURN];
  }
  return longest;
}

/** Returns the time for handling a request, in milliseconds, for each of the hostile paths. */
const askingTurns = (rules: Parameters<typeof chooseHeaders>[0]) =>
  hostilePaths.map((path) => {
    const before = performance.now();
    resolve({ manifest, rules }, { path, query: `?a=b&${'c=d&'.repeat(200)}`, prefix: '/' });
    withChosenHeaders({ etag: '"a"' }, chooseHeaders(rules, path), 'path', 200);
    return performance.now() - before;
  });

type RulesFile = [name: string, content: string, make: () => Lines];
const files: RulesFile[] = [
  ...hostileRedirects.map(([name, content]): RulesFile => [`_redirects: ${name}`, content, () => new RedirectsFile()]),
  ...hostileHeaders.map(([name, content]): RulesFile => [`_headers: ${name}`, content, () => new HeadersFile()]),
];

let worst = 0;
console.log(`${'longest event loop delay, ms'.padEnd(62)}reading  serving`);
for (const [name, content, make] of files) {
  const bytes = Buffer.from(content);
  let lengths: number[] = [];
  const rounds: Record<'reading' | 'indexing' | 'asking', number[][]> = { reading: [], indexing: [], asking: [] };
  for (let round = 0; round < ROUNDS; round++) {
    const lines = make();
    const read = await readingLines(bytes, lines);
    rounds.reading.push(read.times);
    lengths = read.lengths;
    const before = performance.now();
    const redirects = new RedirectIndex('redirects' in lines ? lines.redirects : []);
    rounds.indexing.push([performance.now() - before]);
    rounds.asking.push(askingTurns({ redirects, headers: 'rules' in lines ? lines.rules : [] }));
  }
  const reading = Math.max(longestTurn(undisturbed(rounds.reading), lengths), ...undisturbed(rounds.indexing));
  const asking = Math.max(...undisturbed(rounds.asking));
  worst = Math.max(worst, reading, asking);
  console.log(`${name.padEnd(62)} ${reading.toFixed(1).padStart(6)}   ${asking.toFixed(1).padStart(6)}`);
}
console.log(`Longest delay: ${worst.toFixed(1)} ms (target: less than ${HOLD}).`);
if (worst >= HOLD) process.exitCode = 1;
