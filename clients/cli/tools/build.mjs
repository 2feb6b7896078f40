// Bundles the command into one file, dist/stele.cjs, which needs nothing but Node, and packs it into the archive that
// instances offer, dist/stele-VERSION.tgz. In a whole checkout, rolldown and tar are those of the product.
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { create } from 'tar';

const here = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const manifest = JSON.parse(readFileSync(here('package.json'), 'utf8'));
const { version, engines } = manifest;
const oldest = Number(/\d+/.exec(engines.node)[0]);
const maxBytes = 250_000;

// Runs before anything else of the file, so an old Node prints a sentence and not a stack trace.
const versionFirst = `if (Number(process.versions.node.split('.')[0]) < ${oldest}) {
  console.error('stele needs Node ${oldest} or newer. This is Node ' + process.versions.node + ': https://nodejs.org');
  process.exit(2);
}`;
const isVersionAsked = `process.argv.length === 3 && ['--version', '-V'].includes(process.argv[2])`;

const { output } = await build({
  cwd: here('.'),
  input: here('src/stele.ts'),
  platform: 'node',
  resolve: { conditionNames: ['stele-source', 'node', 'import', 'default'] },
  // Node 20 has to parse the file to print that it is too old.
  transform: { target: 'node20', define: { STELE_VERSION: JSON.stringify(version) } },
  write: false,
  output: { format: 'cjs', minify: true, codeSplitting: false, comments: { legal: false } },
});
rmSync(here('dist'), { recursive: true, force: true });
mkdirSync(here('dist'));
const file = here('dist/stele.cjs');
// The version is printed without loading anything, because scripts ask for it before everything else. A module of the
// newer format would load all that it imports first.
writeFileSync(
  file,
  `#!/usr/bin/env node\n${versionFirst}\nif (${isVersionAsked}) console.log(${JSON.stringify(version)});\nelse (() => {${output[0].code}})();\n`,
);
const { size } = statSync(file);
if (size > maxBytes) throw new Error(`${file} has ${size} bytes, and ${maxBytes} are allowed.`);
chmodSync(file, 0o755);

// Everything is in the bundle, so whoever installs the archive needs no other package.
const { name, description, license, type, bin } = manifest;
const packed = here('dist/package');
mkdirSync(`${packed}/dist`, { recursive: true });
writeFileSync(
  `${packed}/package.json`,
  `${JSON.stringify({ name, version, description, license, type, engines, bin }, null, 2)}\n`,
);
copyFileSync(file, `${packed}/dist/stele.cjs`);
// The same sources always make the same archive.
await create(
  { cwd: here('dist'), file: here(`dist/stele-${version}.tgz`), gzip: true, portable: true, mtime: new Date(0) },
  ['package/package.json', 'package/dist/stele.cjs'],
);
rmSync(packed, { recursive: true });
