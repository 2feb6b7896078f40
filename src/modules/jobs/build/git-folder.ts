import { hash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type { RepoCopy } from '../../../kernel/ports/outside/repositories.js';

/** Maximum size of a commit object. No genuine commit object is larger. */
const MAX_COMMIT_BYTES = 1_048_576;

/**
 * Returns, by path, the files of a minimal `.git` folder. It contains only the commit object and its branch or tag,
 * without the commit's files and history. This is enough for tools that stamp a version with `git rev-parse`, `git log
 * -1` or `git describe`. Returns null if the commit can't be read.
 */
export async function gitFolder(copy: Pick<RepoCopy, 'url' | 'ref' | 'refKind' | 'commit' | 'commitObject'>) {
  const { commit, ref, refKind } = copy;
  const data = await copy.commitObject();
  if (data.length > MAX_COMMIT_BYTES) return null;
  const object = Buffer.concat([Buffer.from(`commit ${data.length}\0`), data]);
  const isSha256 = commit.length === 64;
  if (hash(isSha256 ? 'sha256' : 'sha1', object) !== commit) return null;
  const files = new Map<string, Buffer>();
  const add = (path: string, content: string | Buffer) => files.set(`.git/${path}`, Buffer.from(content));
  add('HEAD', refKind === 'branch' ? `ref: refs/heads/${ref}\n` : `${commit}\n`);
  // Git requires the refs and objects folders.
  add(`refs/${FOLDERS[refKind]}`.replace('*', ref), `${commit}\n`);
  add(`objects/${commit.slice(0, 2)}/${commit.slice(2)}`, deflateSync(object));
  // The commit's parents are not available, as in a shallow clone.
  add('shallow', `${commit}\n`);
  add('config', configOf(copy.url, isSha256));
  return files;
}

const FOLDERS = { branch: 'heads/*', tag: 'tags/*', commit: 'stele/built' } as const;

const configOf = (url: string, isSha256: boolean) =>
  [
    '[core]',
    `\trepositoryformatversion = ${isSha256 ? 1 : 0}`,
    '\tbare = false',
    ...(isSha256 ? ['[extensions]', '\tobjectformat = sha256'] : []),
    '[remote "origin"]',
    `\turl = "${url.replace(/["\\]/g, '\\$&')}"`,
    '',
  ].join('\n');
