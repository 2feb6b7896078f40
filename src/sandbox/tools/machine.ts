import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import {
  access,
  chmod,
  constants,
  copyFile,
  cp,
  link,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { alreadyGone, ignoreFault } from '../../kernel/faults/ignored-fault.js';
import type { ToolDescriptor } from '../../kernel/ports/outside/builder.js';
import { succeeds, systemPath } from '../workspace/program.js';

/** Folder in the tool store for this machine’s own tools. */
export const MACHINE = 'machine';

/** Paths of this machine’s tools, relative to the folder `MACHINE` in the tool store. */
export const OF_MACHINE = {
  commands: 'bin',
  node: 'bin/node',
  inside: 'inside.mjs',
  certificates: 'certificates.pem',
} as const;

export type Machine = {
  /** True if this machine is configured to trust additional certificate authorities. */
  readonly hasCertificates: boolean;
  /** The npm registry that is configured on this machine, or null for the default registry. */
  readonly registry: string | null;
  readonly tools: readonly ToolDescriptor[];
};

/** File that records which tools were copied into the tool store, and from which original files. */
const MADE = 'made.json';

/**
 * Copies Node and npm into the tool store, unless they exist there. The build user may not have access to the
 * originals, whose paths would also disclose where this service is installed. Returns null if this machine has no
 * npm.
 */
export async function copyMachine(store: string, insideFile: string, env: NodeJS.ProcessEnv): Promise<Machine | null> {
  const npm = await found('npm');
  if (npm === null) return null;
  const certificates = env.NODE_EXTRA_CA_CERTS || env.npm_config_cafile || null;
  const hugo = env.STELE_HUGO || null;
  if (hugo !== null && !(await isExecutable(hugo)))
    throw new Error(`STELE_HUGO is ${hugo}, which is not an executable file.`);
  const sources = { npm: dirname(dirname(npm)), insideFile, certificates, hugo };
  const of = await fingerprint(sources);
  // Does not replace existing copies of Node and npm, because builds of other processes may be using them.
  const made = (await madeOf(store, of)) ?? (await make(store, of, sources));
  return { ...made, registry: env.npm_config_registry || null };
}

type Sources = {
  readonly npm: string;
  readonly insideFile: string;
  readonly certificates: string | null;
  readonly hugo: string | null;
};
type CopiedMachine = Pick<Machine, 'hasCertificates' | 'tools'>;

async function fingerprint({ npm, insideFile, certificates, hugo }: Sources): Promise<string> {
  const { size, mtimeMs } = await stat(process.execPath);
  const digest = createHash('sha256').update(JSON.stringify([process.execPath, size, mtimeMs, npm]));
  if (hugo !== null) {
    const { size, mtimeMs } = await stat(hugo);
    digest.update(JSON.stringify([hugo, size, mtimeMs]));
  }
  const read = [join(npm, 'package.json'), insideFile, ...(certificates === null ? [] : [certificates])];
  for (const file of read) digest.update((await readFile(file).catch(ignoreFault)) ?? '').update('\0');
  return digest.digest('hex');
}

async function madeOf(store: string, of: string): Promise<CopiedMachine | null> {
  const text = await readFile(join(store, MACHINE, MADE), 'utf8').catch(alreadyGone);
  if (text === undefined) return null;
  const { of: wasOf, ...made }: CopiedMachine & { readonly of: string } = JSON.parse(text);
  return wasOf === of ? made : null;
}

async function make(
  store: string,
  of: string,
  { npm, insideFile, certificates, hugo }: Sources,
): Promise<CopiedMachine> {
  const folder = await mkdtemp(join(store, `${MACHINE}.new-`));
  await chmod(folder, 0o755);
  await mkdir(join(folder, OF_MACHINE.commands), { mode: 0o755 });
  await placeFile(process.execPath, join(folder, OF_MACHINE.node));
  await placeFolder(npm, join(folder, 'npm'));
  for (const name of ['npm', 'npx'])
    await symlink(`../npm/bin/${name}-cli.js`, join(folder, OF_MACHINE.commands, name));
  await copyFile(insideFile, join(folder, OF_MACHINE.inside));
  if (hugo !== null) {
    // Copies instead of linking, because a package manager may replace the original file.
    const copy = join(folder, OF_MACHINE.commands, 'hugo');
    await copyFile(await realpath(hugo), copy, constants.COPYFILE_FICLONE);
    await chmod(copy, 0o755);
  }
  const hasCertificates =
    certificates !== null &&
    ((await copyFile(certificates, join(folder, OF_MACHINE.certificates)).then(() => true, ignoreFault)) ?? false);
  const made = { hasCertificates, tools: await described(folder) };
  await writeFile(join(folder, MADE), JSON.stringify({ of, ...made }), { mode: 0o644 });
  await putInPlace(folder, join(store, MACHINE));
  return made;
}

/**
 * Creates a hard link to a file, or a copy if that fails. A link is safe, because builds cannot write to the tool
 * store.
 */
const placeFile = (file: string, place: string) =>
  link(file, place).catch(() => copyFile(file, place, constants.COPYFILE_FICLONE));

async function placeFolder(folder: string, place: string): Promise<void> {
  // Tries a hard link first, which cannot cross file systems, and then a copy. To copy thousands of files, `cp` needs a
  // tenth of the CPU time that Node needs.
  for (const way of ['--link', '--preserve=mode']) {
    if (await succeeds('cp', ['--recursive', '--dereference', way, '--', folder, place])) return;
    await rm(place, { recursive: true, force: true });
  }
  await cp(folder, place, { recursive: true, dereference: true });
}

/** Replaces the copies of tools at `place`. Running builds see the new copies immediately. */
async function putInPlace(folder: string, place: string): Promise<void> {
  const older = `${folder}.older`;
  await rename(place, older).catch(alreadyGone);
  // Another process may have put its identical copies of the tools in place first.
  await rename(folder, place).catch(ignoreFault);
  for (const left of [older, folder]) await rm(left, { recursive: true, force: true });
}

async function described(folder: string): Promise<readonly ToolDescriptor[]> {
  const { version } = JSON.parse(await readFile(join(folder, 'npm/package.json'), 'utf8'));
  const node = createHash('sha256');
  await pipeline(createReadStream(join(folder, OF_MACHINE.node), { highWaterMark: 1024 * 1024 }), node);
  return [
    { name: 'node', uri: `pkg:generic/node@${process.versions.node}`, digest: { sha256: node.digest('hex') } },
    { name: 'npm', uri: `pkg:npm/npm@${version}`, digest: null },
  ];
}

const isExecutable = async (path: string) =>
  (await access(path, constants.X_OK).then(() => true, ignoreFault)) ?? false;

async function found(name: string): Promise<string | null> {
  for (const folder of systemPath().split(delimiter)) {
    const path = await realpath(join(folder, name)).catch(alreadyGone);
    if (path && (await isExecutable(path))) return path;
  }
  return null;
}
