import { formatBytes, plural } from '../../kernel/output/quantities.js';
import type { RepoEntry } from '../../kernel/ports/outside/repositories.js';
import { refuse } from '../../kernel/refusal.js';
import { startGit } from './git-process.js';

const KINDS: Readonly<Record<string, RepoEntry['kind']>> = {
  '100644': 'file',
  '100755': 'file',
  '100664': 'file',
  '120000': 'link',
  '160000': 'submodule',
};
/**
 * Maximum length of a line of git’s output. Git accepts no names this long, but a hand-crafted tree can contain them.
 */
const MAX_LINE_BYTES = 65_536;
/** Maximum size of a whole listing. A tree that reuses a few folders with long names could expand to gigabytes. */
const MAX_BYTES = 67_108_864;

/**
 * Lists all entries in the tree of a commit. Throws `too_many_files` as soon as there are more than `atMost` entries,
 * and `too_large` if all paths together are too long.
 */
export async function treeListing(folder: string, commit: string, atMost: number, signal: AbortSignal) {
  const git = startGit({ args: [`--git-dir=${folder}`, 'ls-tree', '-r', '-z', '-l', '--full-tree', commit] }, signal);
  git.stdin.end();
  const entries: RepoEntry[] = [];
  let bytes = 0;
  try {
    for await (const line of lines(git.stdout as AsyncIterable<Buffer>)) {
      bytes += line.length;
      if (bytes > MAX_BYTES)
        refuse('too_large', `The repository’s file paths exceed ${formatBytes(MAX_BYTES)} in total.`);
      const entry = entryOf(line);
      if (!entry) continue;
      if (entries.length === atMost)
        refuse('too_many_files', `The repository has more than the maximum of ${plural(atMost, 'file')}.`);
      entries.push(entry);
    }
    if (await git.ended) return entries;
  } finally {
    git.kill();
    await git.ended;
  }
  signal.throwIfAborted();
  git.assertNotKilled();
  return refuse('repo_unreachable', 'The repository’s files could not be listed.');
}

async function* lines(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, piece]) : piece;
    let start = 0;
    for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, start)) {
      yield bytes.subarray(start, end);
      start = end + 1;
    }
    rest = bytes.subarray(start);
    if (rest.length > MAX_LINE_BYTES)
      refuse('invalid_path', `A file in the repository has a path longer than ${formatBytes(MAX_LINE_BYTES)}.`);
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Parses `{mode} {type} {oid} {size}\t{path}`. Returns null for anything but a file, a link or a submodule. */
function entryOf(line: Buffer): RepoEntry | null {
  const tab = line.indexOf(9);
  const [, mode = '', oid, size = ''] =
    /^(\d{6}) \S+ ([0-9a-f]{40,64}) +(\d+|-)$/.exec(line.toString('latin1', 0, tab)) ?? [];
  const kind = KINDS[mode];
  if (!kind || oid === undefined) return null;
  return {
    path: decoded(line.subarray(tab + 1)),
    kind,
    oid,
    size: size === '-' ? 0 : Number(size),
    isExecutable: mode === '100755',
  };
}

function decoded(path: Buffer): string | null {
  try {
    return utf8.decode(path);
  } catch {
    return null;
  }
}
