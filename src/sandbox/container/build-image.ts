import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import type Docker from 'dockerode';
import { create } from 'tar';
import { alreadyGone, ignoreFault } from '../../kernel/faults/ignored-fault.js';

/** Commands, under their GNU names, that are called by scripts in projects and npm packages. */
const COMMANDS: readonly string[] = [
  ...['sh', 'bash', 'dash', 'busybox'],
  ...'[ arch b2sum base32 base64 basename basenc cat chgrp chmod chown cksum comm cp csplit cut date dd df'.split(' '),
  ...'dir dircolors dirname du echo env expand expr factor false fmt fold groups head hostid id install'.split(' '),
  ...'join link ln logname ls md5sum mkdir mkfifo mknod mktemp mv nice nl nohup nproc numfmt od paste'.split(' '),
  ...'pathchk pr printenv printf ptx pwd readlink realpath rm rmdir seq sha1sum sha224sum sha256sum'.split(' '),
  ...'sha384sum sha512sum shred shuf sleep sort split stat stdbuf sum sync tac tail tee test timeout'.split(' '),
  ...'touch tr true truncate tsort tty uname unexpand uniq unlink vdir wc who whoami yes'.split(' '),
  ...'awk cmp diff egrep fgrep file find gawk getent getopt git grep hostname ldd mawk patch pgrep pkill'.split(' '),
  ...'ps sed setsid tar which which.debianutils xargs'.split(' '),
  ...'brotli bunzip2 bzip2 gunzip gzip unxz unzip xz zcat zip zstd'.split(' '),
];

/** Files in `/etc` that programs need and that reveal nothing about this machine. */
const ETC: readonly string[] = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/mime.types',
];

/** Links and folders to create in the image. The folders are mount points, or are expected by programs. */
const ROOT = {
  links: { bin: 'usr/bin', sbin: 'usr/sbin', lib: 'usr/lib', lib64: 'usr/lib64' },
  folders: ['usr/sbin', 'usr/lib', 'usr/lib64', 'dev', 'etc', 'home', 'opt', 'proc', 'run', 'sys', 'tmp', 'var'],
} as const;

/** Host names are resolved by the egress proxy, not inside the container. */
const NAME_SERVICES = 'passwd: files\ngroup: files\nhosts: files\n';

const run = promisify(execFile);

/** Label of the image with a digest of the programs it contains. */
const CONTENT = 'stele.content';

/**
 * Creates the build image unless it exists, and returns its name. The image contains a shell, this machine’s usual
 * commands, and the libraries that the commands and Node need. Node and package managers are mounted from the tool
 * store.
 */
export async function machineImage(docker: Docker, folder: string, id: string): Promise<string> {
  const name = { repo: 'localhost/stele-build', tag: id };
  const tagged = `${name.repo}:${name.tag}`;
  const files = await machineFiles();
  const content = await digestOf(files);
  const image = docker.getImage(tagged);
  const there = await image.inspect().catch(alreadyGone);
  if (there?.Config?.Labels?.[CONTENT] === content) return tagged;
  const root = join(folder, 'image');
  await rm(root, { recursive: true, force: true });
  try {
    await stage(root, files);
    const archive = join(folder, 'image.tar');
    await create({ cwd: root, portable: true, file: archive }, ['.']);
    const said = await docker.importImage(archive, { changes: [`LABEL ${CONTENT}=${content}`] });
    await docker.getImage(idIn(await text(said))).tag(name);
    await rm(archive);
    if (there) await docker.getImage(there.Id).remove().catch(ignoreFault);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
  return tagged;
}

/** Returns the paths that the image contains: commands, their libraries, and harmless files of `/etc`. */
async function machineFiles(): Promise<readonly string[]> {
  const listIfFile = async (path: string) => ((await stat(path).catch(alreadyGone))?.isFile() ? [path] : []);
  const commands = (
    await Promise.all(COMMANDS.flatMap((name) => [`/usr/bin/${name}`, `/bin/${name}`]).map(listIfFile))
  ).flat();
  const { stdout } = await run('ldd', [process.execPath, ...commands], { env: {} }).catch((error) => error);
  // Lines look like `libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x…)`. A line with the name of a command ends in a
  // colon.
  const words = String(stdout)
    .split(/\s/)
    .filter((word) => word.startsWith('/') && !word.endsWith(':'));
  const etc = (await Promise.all(ETC.map(listIfFile))).flat();
  const all = [...commands, ...words.filter((word) => !word.endsWith(')')), ...etc];
  return [...new Set(await Promise.all(all.map(atHome)))].sort();
}

/** Resolves links in the folder part of a path, for example `/bin`, which is a link to `/usr/bin` in the image. */
async function atHome(path: string): Promise<string> {
  const folder = await realpath(dirname(path));
  const isInPlace = folder.startsWith('/usr/') || folder.startsWith('/etc/') || folder === '/etc';
  return join(isInPlace ? folder : join('/usr', folder), basename(path));
}

/** Computes a digest of the files’ sizes and times, which change if a program is replaced. */
async function digestOf(files: readonly string[]): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([ROOT, NAME_SERVICES]));
  for (const file of files) {
    const { size, mtimeMs } = await stat(file);
    hash.update(`${file}\0${size}\0${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

/** Writes the root folder of the image, with copies of the programs instead of links. */
async function stage(root: string, files: readonly string[]): Promise<void> {
  for (const folder of ROOT.folders) await mkdir(join(root, folder), { recursive: true, mode: 0o755 });
  for (const [name, target] of Object.entries(ROOT.links)) await symlink(target, join(root, name));
  for (const file of files) {
    await mkdir(dirname(join(root, file)), { recursive: true, mode: 0o755 });
    await copyFile(file, join(root, file));
  }
  await writeFile(join(root, 'etc/nsswitch.conf'), NAME_SERVICES, { mode: 0o644 });
}

const idIn = (said: string): string => JSON.parse(said.trim().split('\n').at(-1) ?? '').status;
