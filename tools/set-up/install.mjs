import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { SetUpError } from './error.mjs';
import { inRoot, pinnedNode, root } from './places.mjs';
import { progress } from './progress.mjs';
import { run } from './run.mjs';

const stamp = inRoot('node_modules', '.stele-installed');

/** Whether node_modules was installed from the present package-lock.json, on this platform. */
export function isInstalled() {
  const wanted = fingerprint();
  if (read(stamp) === wanted) return true;
  if (!isInstalledByHand() || !pinnedNodeRuns()) return false;
  writeFileSync(stamp, wanted);
  return true;
}

/**
 * Replaces node_modules by what package-lock.json lists, with development packages, which the build needs. Throws
 * SetUpError.
 */
export async function install() {
  const packages = Object.keys(readLock(inRoot('package-lock.json'))).length - 1;
  const line = progress('Installing packages', `(up to ${packages}; only when package-lock.json has changed)`);
  let fetched = 0;
  const { command, args, env } = npm();
  const { status, tail } = await run(
    command,
    [...args, 'ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=http'],
    {
      cwd: root,
      env,
      // One line for each file that npm fetches, from the registry or from its cache: counted, not shown.
      swallow: (text) => {
        if (!/^npm http (fetch GET 2|cache )/.test(text)) return false;
        if (text.includes('.tgz')) line.say(`${++fetched} fetched`);
        return true;
      },
    },
  );
  if (status !== 0) {
    line.end('failed');
    throw new SetUpError(`npm ci failed. It said:\n${tail}`);
  }
  if (!pinnedNodeRuns()) {
    line.end('failed');
    throw new SetUpError(
      `The Node that package.json pins (${pinnedNode}) does not run on this machine (${process.platform} ${process.arch}). ` +
        'Either npm is told to ignore install scripts ("npm config get ignore-scripts"), or this system lacks glibc 2.28 or newer (Alpine does).',
    );
  }
  writeFileSync(stamp, fingerprint());
  line.end('done');
}

function fingerprint() {
  const lock = createHash('sha256')
    .update(readFileSync(inRoot('package-lock.json')))
    .digest('hex');
  return `${lock} ${process.platform}-${process.arch}`;
}

/** npm records what it installed in a lock file of its own: after `npm ci` by hand it lists the same packages. */
function isInstalledByHand() {
  const hidden = inRoot('node_modules', '.package-lock.json');
  if (!existsSync(hidden)) return false;
  const installed = readLock(hidden);
  return Object.entries(readLock(inRoot('package-lock.json'))).every(
    ([path, { version, optional }]) =>
      path === '' || installed[path]?.version === version || (optional && !installed[path]),
  );
}

function pinnedNodeRuns() {
  return run.sync(pinnedNode, ['--version']).status === 0;
}

/** The machine’s own npm and Node: the pinned ones are in the folder that is being replaced. */
function npm() {
  const inModules = (folder) => folder.startsWith(inRoot('node_modules'));
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => !inModules(folder));
  const env = { ...process.env, PATH: path.join(delimiter) };
  // Set by the npm that runs this script: the inner npm would take this script’s folder and Node for its own.
  for (const name of ['npm_execpath', 'npm_node_execpath', 'NODE', 'INIT_CWD']) delete env[name];
  const script = process.env.npm_execpath;
  const node = path.map((folder) => join(folder, 'node')).find((file) => existsSync(file)) ?? process.execPath;
  return script && /npm-cli\.c?js$/.test(script) && !inModules(script)
    ? { command: node, args: [script], env }
    : { command: 'npm', args: [], env };
}

const readLock = (file) => JSON.parse(readFileSync(file, 'utf8')).packages ?? {};

const read = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : null);
