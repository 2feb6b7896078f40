import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { transformFile } from '@swc/core';
import { inRoot, root } from './places.mjs';

// Compiles each file of src to a file in dist, as `.swcrc` describes. The command lines of swc and Nest would add two
// hundred packages to the first `npm start`; swc itself consists of four.

const source = inRoot('src');
const built = inRoot('dist');

async function compile(file: string): Promise<void> {
  const target = join(built, relative(source, file).replace(/\.ts$/, '.js'));
  const sourceFileName = relative(dirname(target), file).split(sep).join('/');
  const { code, map } = await transformFile(file, { cwd: root, sourceFileName });
  await mkdir(dirname(target), { recursive: true });
  if (map === undefined) throw new Error(`${file} has no source map.`);
  await writeFile(`${target}.map`, map);
  await writeFile(target, `${code}\n//# sourceMappingURL=${target.split(sep).at(-1)}.map`);
}

await rm(built, { recursive: true, force: true });
const files = await readdir(source, { recursive: true });
const compiled = files.filter((name) => name.endsWith('.ts') && !/(spec|\.d)\.ts$/.test(name));
await Promise.all(compiled.map((name) => compile(join(source, name))));
