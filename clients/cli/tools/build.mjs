// Bundles the command into one file, dist/stele.cjs, which needs only Node. Packs this file into the archive that
// instances offer, dist/stele-VERSION.tgz. In a complete checkout, rolldown and tar come from the node_modules folder
// of the service.
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { build } from 'rolldown';
import { create } from 'tar';

const here = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const manifest = JSON.parse(readFileSync(here('package.json'), 'utf8'));
const { version, engines } = manifest;
const oldest = Number(/\d+/.exec(engines.node)[0]);
const maxBytes = 250_000;

// The first statement of the file, so that an old Node prints a sentence instead of a stack trace.
const versionFirst = `if (Number(process.versions.node.split('.')[0]) < ${oldest}) {
  console.error('stele needs Node ${oldest} or later. This is Node ' + process.versions.node + '. Install a later one: https://nodejs.org');
  process.exit(2);
}`;
const isVersionAsked = `process.argv.length === 3 && ['--version', '-V'].includes(process.argv[2])`;

const unresolved = [];
const { output } = await build({
  cwd: here('.'),
  input: here('src/stele.ts'),
  platform: 'node',
  resolve: { conditionNames: ['stele-source', 'node', 'import', 'default'] },
  // Node 20 must be able to parse the file in order to print that it is too old.
  transform: { target: 'node20', define: { STELE_VERSION: JSON.stringify(version) } },
  write: false,
  onLog: (level, log, report) => {
    if (log.code === 'UNRESOLVED_IMPORT') unresolved.push(stripVTControlCharacters(log.message).split('\n')[0]);
    else report(level, log);
  },
  output: { format: 'cjs', minify: true, codeSplitting: false, comments: { legal: false } },
});
// Rolldown would let the file import these packages at run time, but the file must not need any package.
if (unresolved.length > 0) {
  console.error([...unresolved, 'Run `npm ci` in the folder clients to install the missing packages.'].join('\n'));
  process.exit(1);
}
rmSync(here('dist'), { recursive: true, force: true });
mkdirSync(here('dist'));
const file = here('dist/stele.cjs');
// The version is printed without loading anything else, because scripts often run `stele --version` first. An ES module
// would load all its imports before its first statement.
writeFileSync(
  file,
  `#!/usr/bin/env node\n${versionFirst}\nif (${isVersionAsked}) console.log(${JSON.stringify(version)});\nelse (() => {${output[0].code}})();\n`,
);
const { size } = statSync(file);
if (size > maxBytes) throw new Error(`${file} has ${size} bytes, but at most ${maxBytes} are allowed.`);
chmodSync(file, 0o755);

// The bundle contains everything, so the package has no dependencies.
const { name, description, license, type, bin } = manifest;
const packed = here('dist/package');
mkdirSync(`${packed}/dist`, { recursive: true });
writeFileSync(
  `${packed}/package.json`,
  `${JSON.stringify({ name, version, description, license, type, engines, bin }, null, 2)}\n`,
);
copyFileSync(file, `${packed}/dist/stele.cjs`);
// The modification time is fixed, so that the same sources always produce the same archive.
await create(
  { cwd: here('dist'), file: here(`dist/stele-${version}.tgz`), gzip: true, portable: true, mtime: new Date(0) },
  ['package/package.json', 'package/dist/stele.cjs'],
);
rmSync(packed, { recursive: true });
