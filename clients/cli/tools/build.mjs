// Bundles the command into one file, dist/stele.mjs, which needs nothing but Node.
import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const { version, engines } = JSON.parse(readFileSync(here('package.json'), 'utf8'));
const oldest = Number(/\d+/.exec(engines.node)[0]);
const maxBytes = 250_000;

// Runs before anything else of the file, so an old Node prints a sentence and not a stack trace.
const versionFirst = `if (Number(process.versions.node.split('.')[0]) < ${oldest}) {
  console.error('stele needs Node ${oldest} or newer. This is Node ' + process.versions.node + ': https://nodejs.org');
  process.exit(2);
}`;

const outfile = here('dist/stele.mjs');
await build({
  entryPoints: [here('src/stele.ts')],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  // Node 20 has to parse the file to print that it is too old.
  target: 'node20',
  conditions: ['stele-source'],
  minify: true,
  // Errors are recognized and shown by the names of their classes.
  keepNames: false,
  legalComments: 'none',
  define: { STELE_VERSION: JSON.stringify(version) },
  banner: { js: `#!/usr/bin/env node\n${versionFirst}` },
  logLevel: 'warning',
});
const { size } = statSync(outfile);
if (size > maxBytes) throw new Error(`${outfile} has ${size} bytes, and ${maxBytes} are allowed.`);
