import { lstatSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { INSIDE, SHARED_MEMORY_BYTES } from '../inside/places.js';
import type { IsolatedCommand, SandboxPlaces } from '../isolation.js';

/** Files in `/etc` that programs need and that reveal nothing about this machine. */
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

/**
 * Folders in `/usr` that contain files of the operator rather than of the distribution. They are empty in the sandbox.
 */
const OF_OPERATOR = ['/usr/local', '/usr/src', '/usr/etc'];

/** Files that replace this machine’s files in `/etc`. */
export const etcFiles = {
  passwd: 'build:x:1000:1000::/home/build:/bin/sh\n',
  group: 'build:x:1000:\n',
  hosts: '127.0.0.1 localhost build\n::1 localhost\n',
  'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files\n',
} as const;

/**
 * Returns the arguments for bubblewrap. They must be passed with `--args`, because the build can read bubblewrap’s
 * command line and environment. `etc` is the folder with `etcFiles`, and `seccomp` the file descriptor of the system
 * call filter.
 */
export function sandboxArguments(
  { folder, env, cache }: IsolatedCommand,
  places: SandboxPlaces,
  etc: string,
  seccomp: number,
): readonly string[] {
  return [
    ...emptyMachine(etc),
    ...['/run', '/home', '/opt', '/var', '/cache'].flatMap((path) => ['--dir', path]),
    ...['--bind', places.temporary, INSIDE.temporary, '--symlink', '../tmp', '/var/tmp'],
    ...['--bind', places.home, INSIDE.home],
    ...['--bind', places.workTree, INSIDE.workTree],
    ...readOnly(places.tools, INSIDE.tools),
    ...readOnly(places.proxy, INSIDE.proxy),
    ...(cache ? [cache.isWritten ? '--bind' : '--ro-bind', cache.folder, INSIDE.cache] : []),
    ...closing(folder === '.' ? INSIDE.workTree : `${INSIDE.workTree}/${folder}`, env, seccomp),
  ].map(whole);
}

/**
 * Arguments for a sandbox without folders to work in. The caller adds arguments that mount folders, and then those of
 * `closing`.
 */
export const emptyMachine = (etc: string): readonly string[] => [
  ...['--unshare-user', '--unshare-all', '--disable-userns', '--die-with-parent', '--new-session'],
  ...['--hostname', 'build', '--uid', '1000', '--gid', '1000'],
  ...readOnly('/usr', '/usr'),
  ...OF_OPERATOR.filter(isFolder).flatMap((path) => ['--tmpfs', path, '--remount-ro', path]),
  ...['bin', 'sbin', 'lib', 'lib64'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`]),
  ...['--dir', '/etc', ...OF_ETC.flatMap((path) => ['--ro-bind-try', path, path])],
  ...Object.keys(etcFiles).flatMap((name) => readOnly(`${etc}/${name}`, `/etc/${name}`)),
  ...['--proc', '/proc', '--dev', '/dev'],
  ...['--size', String(SHARED_MEMORY_BYTES), '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
];

/** Reports whether a path is a folder. Returns false for a link, because its target may be missing in the sandbox. */
const isFolder = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

export const readOnly = (from: string, to: string): readonly string[] => ['--ro-bind', from, to];

/** Returns bubblewrap’s last arguments, which make the root folder read-only. The program starts in `folder`. */
export const closing = (folder: string, env: Readonly<Record<string, string>>, seccomp: number): readonly string[] => [
  ...['--remount-ro', '/', '--chdir', folder],
  ...['--clearenv', ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value])],
  ...['--seccomp', String(seccomp)],
];

export async function writeEtc(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  for (const [name, text] of Object.entries(etcFiles)) await writeFile(join(folder, name), text, { mode: 0o644 });
  return folder;
}

/** Returns the argument unchanged. Throws if it contains a NUL, which would begin another argument. */
export function whole(argument: string): string {
  if (argument.includes('\0')) throw new Error('A sandbox argument contains a NUL character.');
  return argument;
}
