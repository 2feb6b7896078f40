import { lstatSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { INSIDE, SHARED_MEMORY_BYTES } from '../inside/places.js';
import type { IsolatedCommand, RoomPlaces } from '../isolation.js';

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

/** Folders of `/usr` that the operator fills, and not the distribution: they are seen empty. */
const OF_OPERATOR = ['/usr/local', '/usr/src', '/usr/etc'];

/** What stands in the place of the machine’s own in `/etc`. */
export const etcFiles = {
  passwd: 'build:x:1000:1000::/home/build:/bin/sh\n',
  group: 'build:x:1000:\n',
  hosts: '127.0.0.1 localhost build\n::1 localhost\n',
  'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files\n',
} as const;

/**
 * What bubblewrap is told, for `--args`: on its own command line, and in its own environment, the build would read it.
 * `etc` is the folder of `etcFiles`, `seccomp` the descriptor of the filter.
 */
export function sandboxArguments(
  { folder, env, cache }: IsolatedCommand,
  room: RoomPlaces,
  etc: string,
  seccomp: number,
): readonly string[] {
  return [
    ...emptyMachine(etc),
    ...['/run', '/home', '/opt', '/var', '/cache'].flatMap((path) => ['--dir', path]),
    ...['--bind', room.temporary, INSIDE.temporary, '--symlink', '../tmp', '/var/tmp'],
    ...['--bind', room.home, INSIDE.home],
    ...['--bind', room.workTree, INSIDE.workTree],
    ...readOnly(room.tools, INSIDE.tools),
    ...readOnly(room.proxy, INSIDE.proxy),
    ...(cache ? [cache.isWritten ? '--bind' : '--ro-bind', cache.folder, INSIDE.cache] : []),
    ...closing(folder === '.' ? INSIDE.workTree : `${INSIDE.workTree}/${folder}`, env, seccomp),
  ].map(whole);
}

/** To be followed by the folders that are to be seen, and by `closing`. */
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

/** Nothing can be mounted at a path that does not exist, and a link leads to nothing inside. */
const isFolder = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

export const readOnly = (from: string, to: string): readonly string[] => ['--ro-bind', from, to];

/** From here on nothing is added to the root folder. `folder` is where the program begins. */
export const closing = (folder: string, env: Readonly<Record<string, string>>, seccomp: number): readonly string[] => [
  ...['--remount-ro', '/', '--chdir', folder],
  ...['--clearenv', ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value])],
  ...['--seccomp', String(seccomp)],
];

/** Writes the folder of `etcFiles`, and answers it. */
export async function writeEtc(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  for (const [name, text] of Object.entries(etcFiles)) await writeFile(join(folder, name), text, { mode: 0o644 });
  return folder;
}

/** Throws for an argument with a NUL: NULs separate the arguments, so the rest would become an argument of its own. */
export function whole(argument: string): string {
  if (argument.includes('\0')) throw new Error('A sandbox argument contains a NUL character.');
  return argument;
}
