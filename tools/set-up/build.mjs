import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SetUpError } from './error.mjs';
import { inRoot, pinnedNode, root } from './places.mjs';
import { progress } from './progress.mjs';
import { run } from './run.mjs';

const stamp = inRoot('dist', '.stele-built');
const settings = [
  ...['package.json', 'package-lock.json', '.swcrc'],
  ...['compile.ts', 'bundle.ts'].map((name) => join('tools', 'set-up', name)),
];

const steps = [
  ['Compiling', inRoot('tools', 'set-up', 'compile.ts')],
  ['Bundling', inRoot('tools', 'set-up', 'bundle.ts')],
];

/**
 * Reports whether dist was built from the current sources, by their paths, sizes and modification times. Ignores
 * tests.
 */
export function isBuilt() {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint();
}

/** Builds dist. Throws SetUpError. */
export async function build() {
  const line = progress('Building', '(only when src has changed)');
  const inputs = fingerprint();
  for (const [step, ...words] of steps) {
    const { status, tail } = await run(pinnedNode, words, { cwd: root, env: process.env });
    if (status === 0) continue;
    line.end('failed');
    throw new SetUpError(`${step} failed with this output:\n${tail}`);
  }
  writeFileSync(stamp, inputs);
  line.end('done');
}

function fingerprint() {
  const hash = createHash('sha256');
  for (const file of [...settings.map((name) => inRoot(name)), ...sources(inRoot('src'))]) {
    if (!existsSync(file)) continue;
    const { size, mtimeMs } = statSync(file);
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

function sources(folder) {
  const found = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return found.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    return entry.name.endsWith('spec.ts') ? [] : [path];
  });
}
