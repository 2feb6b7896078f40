import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { SetUpError } from './error.mjs';
import { inRoot, pinnedNode, root } from './places.mjs';
import { progress } from './progress.mjs';
import { run } from './run.mjs';

const stamp = inRoot('node_modules', '.stele-installed');
/**
 * A file that exists while packages are added to existing packages. If it remains, the added packages may be
 * incomplete.
 */
const adding = inRoot('node_modules', '.stele-adding');

/**
 * Reports whether node_modules contains the packages of package-lock.json. With `tests`, includes development
 * packages.
 */
export function isInstalled({ tests }) {
  const wanted = fingerprint();
  const has = read(stamp);
  if (has === `${wanted} with tests` || (has === wanted && !tests)) return true;
  const isAlike = isListed({ tests: true }) ? 'with tests' : isListed({ tests: false }) && '';
  if (isAlike === false || (tests && isAlike === '') || !pinnedNodeRuns()) return false;
  writeFileSync(stamp, `${wanted} ${isAlike}`.trim());
  return true;
}

/**
 * Installs the packages of package-lock.json, with `tests` including development packages. If the packages for
 * running are installed, only adds missing packages, because a service may be using the existing ones. Otherwise
 * replaces node_modules as a whole. Packages for tests are then installed again if they were there before. Throws
 * SetUpError.
 */
export async function install({ tests }) {
  const withTests = tests || read(stamp)?.endsWith(' with tests') === true;
  const isAdded = withTests && isInstalled({ tests: false }) && !existsSync(adding);
  const listed = Object.entries(readLock(inRoot('package-lock.json')));
  const count = listed.filter(([path, { dev }]) => path !== '' && (withTests || !dev) && !(isAdded && !dev)).length;
  const what = isAdded ? 'Installing test packages' : 'Installing packages';
  const line = progress(what, `(up to ${count}; only when package-lock.json has changed)`);
  if (isAdded) writeFileSync(adding, '');
  let fetched = 0;
  const { command, args, env } = npm();
  const { status, tail } = await run(
    command,
    [
      ...args,
      // `--no-save` leaves package-lock.json unchanged.
      ...(isAdded ? ['install', '--no-save'] : ['ci']),
      withTests ? '--include=dev' : '--omit=dev',
      ...['--include=optional', '--no-audit', '--no-fund', '--loglevel=http'],
    ],
    {
      cwd: root,
      env,
      // npm prints a line for each fetched file. These lines are counted instead of shown.
      swallow: (text) => {
        if (!/^npm http (fetch GET 2|cache )/.test(text)) return false;
        if (text.includes('.tgz')) line.say(`${++fetched} fetched`);
        return true;
      },
    },
  );
  if (status !== 0) {
    line.end('failed');
    throw new SetUpError(`npm ${isAdded ? 'install' : 'ci'} failed with this output:\n${tail}`);
  }
  if (!pinnedNodeRuns()) {
    line.end('failed');
    throw new SetUpError(
      `The Node version that package.json pins (${pinnedNode}) does not run on this machine (${process.platform} ${process.arch}). ` +
        'Either npm is configured to ignore install scripts ("npm config get ignore-scripts"), or this system lacks glibc 2.28 or newer (as Alpine does).',
    );
  }
  if (isAdded && !isListed({ tests: true })) {
    line.end('failed');
    throw new SetUpError(
      'npm install succeeded but did not install the packages that package-lock.json lists. Try again.',
    );
  }
  writeFileSync(stamp, withTests ? `${fingerprint()} with tests` : fingerprint());
  rmSync(adding, { force: true });
  line.end('done');
}

function fingerprint() {
  const lock = createHash('sha256')
    .update(readFileSync(inRoot('package-lock.json')))
    .digest('hex');
  return `${lock} ${process.platform}-${process.arch}`;
}

/** Reports whether npm’s own lock file lists all packages as installed. This is also true after a manual `npm ci`. */
function isListed({ tests }) {
  const hidden = inRoot('node_modules', '.package-lock.json');
  if (!existsSync(hidden)) return false;
  const installed = readLock(hidden);
  return Object.entries(readLock(inRoot('package-lock.json'))).every(
    ([path, { version, optional, dev }]) =>
      path === '' ||
      (dev && !tests) ||
      (optional && !installed[path]) ||
      (installed[path]?.version === version && existsSync(inRoot(path, 'package.json'))),
  );
}

function pinnedNodeRuns() {
  return run.sync(pinnedNode, ['--version']).status === 0;
}

/** The machine’s own npm and Node, because the pinned ones are in the folder that is being replaced. */
export function npm() {
  const inModules = (folder) => folder.startsWith(inRoot('node_modules'));
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => !inModules(folder));
  const env = { ...process.env, PATH: path.join(delimiter) };
  // Removes variables set by the npm that runs this script, because the inner npm would use this script’s folder and
  // Node.
  for (const name of ['npm_execpath', 'npm_node_execpath', 'NODE', 'INIT_CWD']) delete env[name];
  const script = process.env.npm_execpath;
  const node = path.map((folder) => join(folder, 'node')).find((file) => existsSync(file)) ?? process.execPath;
  return script && /npm-cli\.c?js$/.test(script) && !inModules(script)
    ? { command: node, args: [script], env }
    : { command: 'npm', args: [], env };
}

const readLock = (file) => JSON.parse(readFileSync(file, 'utf8')).packages ?? {};

const read = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : null);
