import { open, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { RefusedError, UsageError } from '../command-line/errors.js';
import type { Session } from '../command-line/session.js';
import { choose } from '../output/questions.js';

/** What is deployed: a folder, or one body that is sent as it is. */
export type DeploySource =
  | { readonly kind: 'folder'; readonly path: string }
  | {
      readonly kind: 'body';
      readonly path: string | null;
      readonly type: string;
      readonly content: Buffer<ArrayBuffer>;
    };

/** Where build tools put what they made. */
const OUTPUT_FOLDERS = ['dist', 'build', 'out', 'public', '_site'];
/** The largest body that is kept in memory. Folders have no such limit. */
const MAX_BODY_BYTES = 256 * 1024 * 1024;

/** Finds what to deploy: the argument, what `stele.json` says, or what a build has left here. */
export async function findSource(session: Session, argument: string | undefined): Promise<DeploySource> {
  if (argument === '-') return readBody(null, await buffer(process.stdin));
  const link = await session.link;
  const named = argument ?? (link?.folder ? join(link.file, '..', link.folder) : undefined);
  const path = named === undefined ? await findOutputFolder(session) : resolve(session.folder, named);
  const stats = await stat(path).catch(() => null);
  if (stats?.isDirectory()) return { kind: 'folder', path };
  if (!stats) {
    const origin = argument ? 'There is' : 'stele.json names this folder, but there is';
    throw new UsageError(`${origin} no file or folder ${path}.`);
  }
  if (stats.size > MAX_BODY_BYTES)
    throw new RefusedError(`${path} is larger than 256 MiB. Unpack it, and deploy the folder.`, 'too_large');
  return readBody(path, await readWhole(path));
}

/** Finds the folder that a build tool has written, or takes this one if it has an index.html. */
async function findOutputFolder(session: Session): Promise<string> {
  const has = async (path: string) => (await stat(join(session.folder, path)).catch(() => null)) !== null;
  const fitting: string[] = [];
  for (const name of OUTPUT_FOLDERS) if (await has(join(name, 'index.html'))) fitting.push(name);
  if (await has('index.html')) fitting.push('.');
  const [only] = fitting;
  if (only !== undefined && fitting.length === 1) return join(session.folder, only);
  if (only !== undefined) {
    const values = fitting.map((value) => ({ value, ...(value === '.' && { hint: 'this folder' }) }));
    const next = fitting.map((value) => ({ command: `stele deploy ${value}`, when: `to deploy ${value}` }));
    return join(
      session.folder,
      await choose(session, 'Several folders here could be the site. Which one?', values, next),
    );
  }
  throw new UsageError(
    `There is no index.html here, nor in ${OUTPUT_FOLDERS.join(', ')}. Build the site first, or name what to deploy.`,
    [{ command: 'stele deploy FOLDER', when: 'to deploy another folder' }],
  );
}

async function readWhole(path: string): Promise<Buffer<ArrayBuffer>> {
  await using file = await open(path);
  return file.readFile();
}

/** Recognizes an archive by its first bytes. Everything else has to be a page. */
function readBody(path: string | null, content: Buffer<ArrayBuffer>): DeploySource {
  const name = path === null ? 'Standard input' : basename(path);
  if (content.length === 0) throw new UsageError(`${name} is empty.`);
  const type = recognizeType(content);
  if (type) return { kind: 'body', path, type, content };
  const isPage = path === null || /\.x?html?$/i.test(path);
  if (!isPage || content.subarray(0, 4096).includes(0))
    throw new UsageError(
      `${name} is neither a page (.html) nor an archive (.zip, .tar.gz). Name a folder to deploy files.`,
    );
  return { kind: 'body', path, type: 'text/html; charset=utf-8', content };
}

function recognizeType(content: Buffer): string | null {
  if (content[0] === 0x1f && content[1] === 0x8b) return 'application/gzip';
  return content.subarray(0, 2).toString('latin1') === 'PK' ? 'application/zip' : null;
}
