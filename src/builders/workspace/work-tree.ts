import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, symlink } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import type { LeftOut } from '../../kernel/ports/builder.js';
import type { RepoEntry } from '../../kernel/ports/repositories.js';
import { refuse } from '../../kernel/refusal.js';

type Content = (entry: RepoEntry) => AsyncIterable<Uint8Array>;

/** The longest target of a link that Linux takes, in bytes. */
const LONGEST_LINK = 4_095;

/** git-lfs, “The Pointer”: under 1,024 bytes, and this is its first line. */
const POINTER = 'version https://git-lfs.github.com/spec/';
const POINTER_BYTES = 1_024;

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/**
 * Writes the files and links of a commit into an empty folder. Links come last, so that no file is written through one;
 * those that leave the tree are left out. Refuses submodules and what is kept in Git LFS: a build would miss it.
 */
export async function writeWorkTree(
  folder: string,
  entries: readonly RepoEntry[],
  content: Content,
  bytesAtMost: number,
): Promise<readonly LeftOut[]> {
  const leftOut: LeftOut[] = [];
  const links: { path: string; target: string }[] = [];
  const folders = new Set(['.']);
  let left = bytesAtMost;
  for (const entry of entries) {
    const { path, kind } = entry;
    if (path === null) leftOut.push({ path: '?', why: 'its name is not UTF-8' });
    else if (!isInside(path)) leftOut.push({ path, why: 'its path is not one of a work tree' });
    else if (kind === 'submodule')
      refuse('plan_not_detected', `${path} is a submodule, which is not fetched: put its files into the repository.`);
    else if (kind === 'link') links.push({ path, target: await linkTarget(content(entry)) });
    else {
      left -= entry.size;
      if (left < 0) refuse('too_large', `The work tree has more than ${bytesAtMost} bytes.`);
      await makeFolder(folder, dirname(path), folders);
      if (await isPointer(entry, content))
        refuse(
          'plan_not_detected',
          `${path} is kept in Git LFS, which is not fetched: put it into the repository itself.`,
        );
      await writeFile(join(folder, path), entry, content);
    }
  }
  for (const { path, target } of links) {
    if (!staysInside(path, target)) {
      leftOut.push({ path, why: `it is a link to “${target.slice(0, 200)}”, outside the repository` });
      continue;
    }
    await makeFolder(folder, dirname(path), folders);
    await symlink(target, join(folder, path));
  }
  return leftOut;
}

async function makeFolder(root: string, path: string, made: Set<string>): Promise<void> {
  if (made.has(path)) return;
  await makeFolder(root, dirname(path), made);
  await mkdir(join(root, path));
  made.add(path);
}

async function writeFile(path: string, entry: RepoEntry, content: Content): Promise<void> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, NEW_FILE, entry.isExecutable ? 0o755 : 0o644);
    for await (const piece of content(entry)) await file.writeFile(piece);
  } finally {
    await file?.close();
  }
}

async function linkTarget(content: AsyncIterable<Uint8Array>): Promise<string> {
  return (await whole(content)).subarray(0, LONGEST_LINK).toString('utf8');
}

/** Whether a file only says where Git LFS has it. */
async function isPointer(entry: RepoEntry, content: Content): Promise<boolean> {
  if (entry.size >= POINTER_BYTES || entry.size < POINTER.length) return false;
  return (await whole(content(entry))).toString('latin1').startsWith(POINTER);
}

async function whole(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Git’s own rules for a path, held once more: nothing above the root, and nothing that git itself would obey. */
const isInside = (path: string) =>
  path.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && part.toLowerCase() !== '.git');

/** Whether a link leads to a place in the tree, by its words alone: other links on its way are held to the same. */
function staysInside(path: string, target: string): boolean {
  if (target === '' || target.startsWith('/') || target.includes('\0')) return false;
  const reached = posix.join(posix.dirname(path), target);
  return reached !== '..' && !reached.startsWith('../') && !reached.split('/').includes('.git');
}
