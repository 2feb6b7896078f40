// Writes test/fingerprints.txt: `npm run fingerprints`. Writes nothing if a version has to be incremented first.
import { readFile, writeFile } from 'node:fs/promises';
import { computeFingerprints } from '../../test/support/events/current-fingerprints.js';
import { FILE, parseFingerprints, renderFingerprints, reviewFingerprints } from './fingerprints.ts';

const accepted = process.argv.slice(2);
const recorded = parseFingerprints(await readFile(FILE, 'utf8').catch(() => ''));
const current = computeFingerprints();
const unknown = accepted.filter((name) => !current.events.some(({ type }) => type === name));
const reviews = reviewFingerprints(recorded, current, new Set(accepted));
const refusals = [
  ...unknown.map((name) => `No event has the type “${name}”. Name types of events, such as SiteDeployed.`),
  ...reviews.flatMap((review) => ('refusal' in review ? [review.refusal] : [])),
];
if (refusals.length > 0) {
  process.stderr.write(`Nothing was written.\n${refusals.map((refusal) => `- ${refusal}\n`).join('')}`);
  process.exitCode = 1;
} else {
  await writeFile(FILE, renderFingerprints(reviews.flatMap((review) => ('values' in review ? [review] : []))));
}
