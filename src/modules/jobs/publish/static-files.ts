import { Buffer } from 'node:buffer';
import { plural } from '../../../kernel/output/quantities.js';
import type { RepoCopy, RepoEntry } from '../../../kernel/ports/outside/repositories.js';
import type { JobFile } from '../../sites/api/deploys.js';

/** First line of a Git LFS pointer, which is shorter than 1,024 bytes (git-lfs, "The Pointer"). */
const POINTER = 'version https://git-lfs.github.com/spec/';
const SMALL = 1_024;

const REASONS = {
  link: 'it is a symbolic link',
  submodule: 'it is a submodule',
  lfs: 'its content is stored in Git LFS, which is not fetched',
  name: 'its name is not valid UTF-8',
} as const;

/** Returns the entries of a folder with paths relative to it. */
export function inFolder(entries: readonly RepoEntry[], folder: string): readonly RepoEntry[] {
  if (folder === '.') return entries;
  const prefix = `${folder}/`;
  return entries
    .filter(({ path }) => path?.startsWith(prefix))
    .map((entry) => ({ ...entry, path: entry.path?.slice(prefix.length) ?? null }));
}

/** Reads files directly from the repository's git objects. Omits Git LFS pointers and entries that are not files. */
export async function* staticFiles(copy: RepoCopy, entries: readonly RepoEntry[]): AsyncGenerator<JobFile> {
  for (const entry of entries) {
    const { path, kind, size } = entry;
    if (path === null) yield { path: '?', leftOut: REASONS.name };
    else if (kind !== 'file') yield { path, leftOut: REASONS[kind] };
    else if (size >= SMALL) yield { path, content: copy.content(entry) };
    else {
      const content = await whole(copy.content(entry));
      yield content.toString('latin1').startsWith(POINTER) ? { path, leftOut: REASONS.lfs } : { path, content };
    }
  }
}

async function whole(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Warns about links and submodules of the repository, which a deploy of plain pages does not publish. */
export function listSkippedWarnings(entries: readonly RepoEntry[]): string[] {
  const links = entries.filter(({ kind }) => kind === 'link').length;
  const submodules = entries.filter(({ kind }) => kind === 'submodule').length;
  return [
    ...(links > 0 ? [`${plural(links, 'symbolic link')} will be skipped.`] : []),
    ...(submodules > 0 ? [`${plural(submodules, 'submodule')} will be skipped.`] : []),
  ];
}
