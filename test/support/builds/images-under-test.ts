import { execFile } from 'node:child_process';
import { copyFile, cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import { create } from 'tar';
import { type StoredServer, stored } from './servers-under-test.js';

const run = promisify(execFile);

/** Copies this machine's Node and its libraries to the same paths below `root`. */
async function withNode(root: string): Promise<void> {
  const { stdout } = await run('ldd', [process.execPath]);
  const libraries = stdout.match(/\/\S+(?= \()/g) ?? [];
  for (const [from, to] of [[process.execPath, '/bin/node'], ...libraries.map((path) => [path, path])] as const) {
    await mkdir(dirname(join(root, to)), { recursive: true });
    await copyFile(from, join(root, to));
  }
}

export type WantedImage = {
  /** Files of the image in addition to the binaries, by path. */
  readonly files: Readonly<Record<string, string>>;
  readonly changes: readonly string[];
  readonly hasNode?: boolean;
};

const SHELL = 'busybox sh rm echo nc dd xxd printf cut tr sha1sum base64'.split(' ');

/** Creates a base image with this machine's busybox. If `folders` is not null, adds them and this machine's Node. */
export async function importBase(
  env: { readonly DOCKER_HOST: string },
  name: string,
  folders: Readonly<Record<string, string>> | null,
): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'stele-base-'));
  await mkdir(join(root, 'bin'));
  await copyFile('/bin/busybox', join(root, 'bin/busybox'));
  for (const each of SHELL.slice(1)) await symlink('busybox', join(root, 'bin', each));
  await mkdir(join(root, 'tmp'));
  if (folders) await withNode(root);
  for (const [path, folder] of Object.entries(folders ?? {})) await cp(folder, join(root, path), { recursive: true });
  const archive = `${root}.tar`;
  await run('tar', ['-C', root, '-cf', archive, '.']);
  const docker = new Docker({ socketPath: env.DOCKER_HOST.slice('unix://'.length) });
  await text(await docker.importImage(archive, { repo: name, tag: 'latest', changes: ['ENV PATH=/bin'] }));
  await rm(root, { recursive: true });
  await rm(archive);
}

/** Creates an image from this machine's binaries, and returns it in the form in which images are stored. */
export async function imageOf(
  env: { readonly DOCKER_HOST: string },
  wanted: WantedImage,
): Promise<StoredServer & { readonly bytes: Buffer }> {
  const docker = new Docker({ socketPath: env.DOCKER_HOST.slice('unix://'.length) });
  const root = await mkdtemp(join(tmpdir(), 'stele-image-'));
  await mkdir(join(root, 'bin'));
  for (const name of ['busybox', 'sh', 'sleep', 'httpd', 'nc']) await copyFile('/bin/busybox', join(root, 'bin', name));
  if (wanted.hasNode) await withNode(root);
  for (const [path, content] of Object.entries(wanted.files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  const archive = `${root}.tar`;
  await create({ cwd: root, portable: true, file: archive }, ['.']);
  const said = await text(await docker.importImage(archive, { changes: [...wanted.changes] }));
  const id = JSON.parse(said.trim().split('\n').at(-1) ?? '').status;
  const pieces: Buffer[] = [];
  for await (const piece of await docker.getImage(id).get()) pieces.push(piece as Buffer);
  await docker.getImage(id).remove();
  await rm(root, { recursive: true });
  await rm(archive);
  return stored('container', Buffer.concat(pieces));
}
