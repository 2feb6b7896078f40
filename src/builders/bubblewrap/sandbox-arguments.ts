import type { SandboxCommand } from '../../kernel/ports/builder.js';
import { MACHINE, type Machine, OF_MACHINE } from '../tools/machine.js';

/** Where things are inside. */
export const INSIDE = {
  workTree: '/workspace',
  home: '/home/build',
  temporary: '/tmp',
  tools: '/opt/tools',
  cache: '/cache',
  proxy: '/run/proxy.sock',
} as const;

const ofMachine = (name: keyof typeof OF_MACHINE) => `${INSIDE.tools}/${MACHINE}/${OF_MACHINE[name]}`;

/** What is run inside first, and is given the command’s script. */
export const insideProgram = (script: string) => [ofMachine('node'), ofMachine('inside'), script];

/** Of one build, on the machine’s side. */
export type BuildFolders = {
  readonly workTree: string;
  readonly home: string;
  readonly temporary: string;
  /** The tool store: to be seen, not changed. */
  readonly tools: string;
  /** Files that stand in the place of the machine’s own in `/etc`, by the names of `etcFiles`. */
  readonly etc: string;
  /** The socket of the egress proxy. */
  readonly proxy: string;
  /** Of dependencies that are kept between builds; null for a command of a project, which never sees it. */
  readonly cache: { readonly folder: string; readonly isWritten: boolean } | null;
};

/** Files of `/etc` that programs look for, and that say nothing of this machine. */
const OF_ETC = [
  '/etc/ssl/certs',
  '/etc/alternatives',
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/ld.so.conf.d',
  '/etc/localtime',
  '/etc/mime.types',
  '/etc/fonts',
];

export const etcFiles = {
  passwd: 'build:x:1000:1000::/home/build:/bin/sh\n',
  group: 'build:x:1000:\n',
  hosts: '127.0.0.1 localhost build\n::1 localhost\n',
  'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files\n',
} as const;

const SHARED_MEMORY_BYTES = 64 * 1_048_576;

/**
 * What bubblewrap is told, for `--args`: on its own command line, and in its own environment, the build would read it.
 * `seccomp` is the descriptor of the filter.
 */
export function sandboxArguments(
  { folder, env }: Pick<SandboxCommand, 'folder' | 'env'>,
  build: BuildFolders,
  seccomp: number,
): readonly string[] {
  const readOnly = (from: string, to: string) => ['--ro-bind', from, to];
  return [
    ...['--unshare-user', '--unshare-all', '--disable-userns', '--die-with-parent', '--new-session'],
    ...['--hostname', 'build', '--uid', '1000', '--gid', '1000'],
    ...readOnly('/usr', '/usr'),
    ...['bin', 'sbin', 'lib', 'lib64'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`]),
    ...['--dir', '/etc', ...OF_ETC.flatMap((path) => ['--ro-bind-try', path, path])],
    ...Object.keys(etcFiles).flatMap((name) => readOnly(`${build.etc}/${name}`, `/etc/${name}`)),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...['--size', String(SHARED_MEMORY_BYTES), '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
    ...['/run', '/home', '/opt', '/var', '/cache'].flatMap((path) => ['--dir', path]),
    ...['--bind', build.temporary, INSIDE.temporary, '--symlink', '../tmp', '/var/tmp'],
    ...['--bind', build.home, INSIDE.home],
    ...['--bind', build.workTree, INSIDE.workTree],
    ...readOnly(build.tools, INSIDE.tools),
    ...readOnly(build.proxy, INSIDE.proxy),
    ...(build.cache ? [build.cache.isWritten ? '--bind' : '--ro-bind', build.cache.folder, INSIDE.cache] : []),
    ...['--remount-ro', '/', '--chdir', folder === '.' ? INSIDE.workTree : `${INSIDE.workTree}/${folder}`],
    ...['--clearenv', ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value])],
    ...['--seccomp', String(seccomp)],
  ].map(whole);
}

/** They are told apart by NUL: one that has it would be two, the second of which somebody else has chosen. */
function whole(argument: string): string {
  if (argument.includes('\0')) throw new Error('An argument of the sandbox has a NUL.');
  return argument;
}

/** Every client that knows a proxy is told of it in the words that it listens to. */
const PROXY_VARIABLES = [
  'HTTPS_PROXY',
  'https_proxy',
  'HTTP_PROXY',
  'http_proxy',
  'npm_config_https_proxy',
  'YARN_HTTPS_PROXY',
];

/** What every command has in its environment, whatever else it has. `tools` are folders of commands. */
export function sandboxEnvironment(
  { hasCertificates, registry }: Machine,
  tools: readonly string[],
): Readonly<Record<string, string>> {
  const certificates = ['NODE_EXTRA_CA_CERTS', 'npm_config_cafile', 'SSL_CERT_FILE'];
  return {
    PATH: [...tools, ofMachine('commands'), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
    HOME: INSIDE.home,
    TMPDIR: INSIDE.temporary,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    ...Object.fromEntries(PROXY_VARIABLES.map((name) => [name, 'http://127.0.0.1:3128'])),
    NODE_USE_ENV_PROXY: '1',
    ...(registry !== null && { npm_config_registry: registry }),
    ...(hasCertificates && Object.fromEntries(certificates.map((name) => [name, ofMachine('certificates')]))),
  };
}
