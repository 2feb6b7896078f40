import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SetUpError } from './error.mjs';
import { npm } from './install.mjs';
import { inRoot, pinnedNode } from './places.mjs';
import { progress } from './progress.mjs';
import { run } from './run.mjs';

const clients = (...parts) => inRoot('clients', ...parts);
const installed = clients('node_modules', '.stele-installed');
const built = clients('cli', 'dist', '.stele-built');

/**
 * Whether the packages of clients/package-lock.json are installed, with `tests` including development packages, and the
 * command has been built from its sources.
 */
export function areClientsReady({ tests }) {
  return isInstalled({ tests }) && isBuilt();
}

/**
 * Installs the packages that are bundled into the stele command, about ten small ones, and bundles it with the rolldown
 * of the product. With `tests`, also installs development packages. Throws SetUpError.
 */
export async function setUpClients({ tests }) {
  if (!isInstalled({ tests })) await install({ tests });
  if (!isBuilt()) await build();
}

const withTests = (lock) => `${lock} with tests`;
const isInstalled = ({ tests }) => [withTests(hashLock()), ...(tests ? [] : [hashLock()])].includes(read(installed));
const isBuilt = () => existsSync(clients('cli', 'dist', 'stele.cjs')) && read(built) === hashSources();

async function install({ tests }) {
  const line = progress(
    'Installing packages of the stele command',
    '(only when clients/package-lock.json has changed)',
  );
  const { command, args, env } = npm();
  const words = [
    'ci',
    tests ? '--include=dev' : '--omit=dev',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  const { status, tail } = await run(command, [...args, ...words], { cwd: clients(), env });
  line.end(status === 0 ? 'done' : 'failed');
  if (status !== 0) throw new SetUpError(`npm ci in clients/ failed with this output:\n${tail}`);
  writeFileSync(installed, tests ? withTests(hashLock()) : hashLock());
}

async function build() {
  const line = progress('Bundling the stele command', '(only when clients/ has changed)');
  const sources = hashSources();
  const { status, tail } = await run(pinnedNode, [clients('cli', 'tools', 'build.mjs')], {
    cwd: clients(),
    env: process.env,
  });
  line.end(status === 0 ? 'done' : 'failed');
  if (status !== 0) throw new SetUpError(`Bundling the stele command failed with this output:\n${tail}`);
  writeFileSync(built, sources);
}

const hashLock = () =>
  createHash('sha256')
    .update(`${process.platform}-${process.arch}`)
    .update(readFileSync(clients('package-lock.json')))
    .digest('hex');

function hashSources() {
  const hash = createHash('sha256').update(hashLock());
  for (const folder of [clients('api', 'src'), clients('cli', 'src'), clients('cli', 'tools')]) {
    for (const name of readdirSync(folder, { recursive: true }).sort()) {
      const { size, mtimeMs } = statSync(join(folder, name));
      if (!name.endsWith('spec.ts')) hash.update(`${name} ${size} ${mtimeMs}\n`);
    }
  }
  return hash.digest('hex');
}

const read = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : null);
