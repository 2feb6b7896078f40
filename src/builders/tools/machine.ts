import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, constants, copyFile, cp, mkdir, readFile, realpath, rename, rm, symlink } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { alreadyGone, doneWithout } from '../../kernel/faults/ignored-fault.js';
import type { ToolDescriptor } from '../../kernel/ports/builder.js';
import { systemPath } from '../workspace/program.js';

/** The machine’s own tools, as one folder of the tool store. */
export const MACHINE = 'machine';

/** What is in that folder, relative to it. */
export const OF_MACHINE = {
  commands: 'bin',
  node: 'bin/node',
  inside: 'inside.mjs',
  certificates: 'certificates.pem',
} as const;

export type Machine = {
  /** Whether there are certificates that this machine trusts beside the usual ones. */
  readonly hasCertificates: boolean;
  /** The registry that it is set to, where that is not the usual one. */
  readonly registry: string | null;
  /** The copies of Node and npm. */
  readonly tools: readonly ToolDescriptor[];
};

/**
 * Copies the Node that runs us and the npm that a shell would find into the tool store: where they are, the user that
 * builds run as may not be let in, and would see where we live. Null where the machine has no npm.
 */
export async function copyMachine(store: string, insideFile: string, env: NodeJS.ProcessEnv): Promise<Machine | null> {
  const npm = await found('npm');
  if (npm === null) return null;
  const folder = join(store, `${MACHINE}.new`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, OF_MACHINE.commands), { recursive: true, mode: 0o755 });
  await copyFile(process.execPath, join(folder, OF_MACHINE.node), constants.COPYFILE_FICLONE);
  await cp(dirname(dirname(npm)), join(folder, 'npm'), { recursive: true, dereference: true });
  for (const name of ['npm', 'npx'])
    await symlink(`../npm/bin/${name}-cli.js`, join(folder, OF_MACHINE.commands, name));
  await copyFile(insideFile, join(folder, OF_MACHINE.inside));
  const certificates = env.NODE_EXTRA_CA_CERTS || env.npm_config_cafile;
  const hasCertificates = certificates
    ? await copyFile(certificates, join(folder, OF_MACHINE.certificates)).then(() => true, doneWithout)
    : false;
  const tools = await described(folder);
  await rm(join(store, MACHINE), { recursive: true, force: true });
  await rename(folder, join(store, MACHINE));
  return { hasCertificates: hasCertificates ?? false, registry: env.npm_config_registry || null, tools };
}

async function described(folder: string): Promise<readonly ToolDescriptor[]> {
  const { version } = JSON.parse(await readFile(join(folder, 'npm/package.json'), 'utf8'));
  const node = createHash('sha256');
  await pipeline(createReadStream(join(folder, OF_MACHINE.node)), node);
  return [
    { name: 'node', uri: `pkg:generic/node@${process.versions.node}`, digest: { sha256: node.digest('hex') } },
    { name: 'npm', uri: `pkg:npm/npm@${version}`, digest: null },
  ];
}

/** The file that a program’s name leads to, its links followed. */
async function found(name: string): Promise<string | null> {
  for (const folder of systemPath().split(delimiter)) {
    const path = await realpath(join(folder, name)).catch(alreadyGone);
    if (path && (await access(path, constants.X_OK).then(() => true, doneWithout))) return path;
  }
  return null;
}
