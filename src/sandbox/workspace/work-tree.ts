import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isCode } from '../../kernel/faults/error-code.js';
import { formatBytes } from '../../kernel/output/quantities.js';
import type { LeftOut, OwnFiles } from '../../kernel/ports/outside/builder.js';
import type { RepoEntry } from '../../kernel/ports/outside/repositories.js';
import { refuse } from '../../kernel/refusal.js';
import { whyOutside } from './links.js';

type Content = (entry: RepoEntry) => AsyncIterable<Uint8Array>;

/** Maximum length of a link’s target on Linux, in bytes. */
const MAX_LINK_BYTES = 4_095;

/** Maximum lengths. Linux allows 4,096 bytes for a path with the tree’s folder, and 255 for a name (limits.h). */
const MAX_PATH_BYTES = 3_072;
const MAX_NAME_BYTES = 255;
/** Maximum nesting depth. No real project is nested this deep, and each level takes longer to create. */
const DEEPEST = 100;

const MAX_SHOWN_CHARACTERS = 200;

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/**
 * Writes the files and links of a commit into an empty folder. Leaves out submodules and links that lead out of the
 * folder. Links come last, so that no file is written through a link. Throws `too_large`, or `invalid_path` if two
 * entries cannot exist together.
 */
export async function writeWorkTree(
  folder: string,
  entries: readonly RepoEntry[],
  content: Content,
  bytesAtMost: number,
  own: OwnFiles = new Map(),
): Promise<readonly LeftOut[]> {
  const leftOut: LeftOut[] = [];
  const links = new Map<string, string>();
  const folders = new Set(['.']);
  let left = bytesAtMost;
  for (const entry of entries) {
    const { path, kind } = entry;
    const why = whyNotWritten(entry);
    if (path === null || why !== null)
      leftOut.push({ path: path?.slice(0, MAX_SHOWN_CHARACTERS) ?? '?', why: why ?? '' });
    else if (kind === 'link') links.set(path, await linkTarget(content(entry)));
    else {
      left -= entry.size;
      if (left < 0)
        refuse('too_large', `The files in the repository are larger than ${formatBytes(bytesAtMost)} in total.`);
      await placed(path, async () => {
        await makeFolder(folder, dirname(path), folders);
        await writeFile(join(folder, path), entry, content);
      });
    }
  }
  // The service’s own files are written before the links, so that no link can redirect them.
  for (const [path, bytes] of own) {
    await makeFolder(folder, dirname(path), folders);
    await writeNew(join(folder, path), [bytes], 0o644);
  }
  for (const [path, target] of links) {
    const why = whyOutside(path, links);
    if (why !== null) leftOut.push({ path, why });
    else
      await placed(path, async () => {
        await makeFolder(folder, dirname(path), folders);
        await symlink(target, join(folder, path));
      });
  }
  return leftOut;
}

export function whyNotWritten({ path, kind }: RepoEntry): string | null {
  if (path === null) return 'its name is not valid UTF-8';
  if (!isInside(path)) return 'its path is not allowed in a work tree';
  const names = path.split('/', DEEPEST + 1);
  if (names.length > DEEPEST || Buffer.byteLength(path) > MAX_PATH_BYTES) return 'its path is too long';
  if (names.some((name) => Buffer.byteLength(name) > MAX_NAME_BYTES)) return 'its path is too long';
  return kind === 'submodule' ? 'it is a submodule, which is not fetched' : null;
}

/**
 * Rejects conflicting entries. A hand-crafted tree may contain a file and a folder with the same name, or the same
 * file twice.
 */
async function placed(path: string, place: () => Promise<void>): Promise<void> {
  try {
    await place();
  } catch (error) {
    if (isCode(error, 'ENOSPC')) refuse('too_large', 'The files in the repository do not fit on the build’s disk.');
    if (!isCode(error, 'EEXIST', 'ENOTDIR')) throw error;
    refuse('invalid_path', `${path} is in the repository twice, or both as a file and as a folder.`, [
      { path, message: 'exists twice' },
    ]);
  }
}

async function makeFolder(root: string, path: string, made: Set<string>): Promise<void> {
  if (made.has(path)) return;
  await makeFolder(root, dirname(path), made);
  await mkdir(join(root, path));
  made.add(path);
}

const writeFile = (path: string, entry: RepoEntry, content: Content) =>
  writeNew(path, content(entry), entry.isExecutable ? 0o755 : 0o644);

async function writeNew(path: string, pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, mode: number) {
  let file: FileHandle | undefined;
  try {
    file = await open(path, NEW_FILE, mode);
    for await (const piece of pieces) await file.writeFile(piece);
  } finally {
    await file?.close();
  }
}

export async function linkTarget(content: AsyncIterable<Uint8Array>): Promise<string> {
  return (await whole(content)).subarray(0, MAX_LINK_BYTES).toString('utf8');
}

async function whole(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Reports whether a path stays below the root and outside of `.git`. Git itself refuses paths that fail this check. */
const isInside = (path: string) =>
  path.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && part.toLowerCase() !== '.git');
