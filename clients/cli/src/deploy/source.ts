import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isInside } from 'stele-api/deploy/is-inside';
import { RefusedError, UsageError } from '../command-line/errors.js';
import type { Session } from '../command-line/session.js';
import { choose } from '../output/questions.js';
import { resolveLinkedFolder } from '../project/stele-json.js';

/** What is deployed: a folder, or a page or an archive that is sent unchanged as the body of a request. */
export type DeploySource =
  | { readonly kind: 'folder'; readonly path: string }
  | {
      readonly kind: 'body';
      readonly path: string | null;
      readonly type: string;
      readonly content: Buffer<ArrayBuffer>;
    };

const OUTPUT_FOLDERS = ['dist', 'build', 'out', 'public', '_site'];
/** Pages and archives are kept in memory, so their size is limited. Folders have no such limit. */
const MAX_BODY_BYTES = 256 * 1024 * 1024;

/** Finds what to deploy: the argument, the folder in `stele.json`, or the output of a build in this folder. */
export async function findSource(session: Session, argument: string | undefined): Promise<DeploySource> {
  if (argument === '-') return readBody(null, await readInput());
  const link = await session.link;
  const named = argument ?? (link?.folder ? resolveLinkedFolder(link) : undefined);
  const path = named === undefined ? await findOutputFolder(session) : resolve(session.folder, named);
  if (argument === undefined && link?.folder) await assertInsideProject(link.file, path);
  const stats = await stat(path).catch(() => null);
  if (stats?.isDirectory()) return { kind: 'folder', path };
  if (!stats) {
    throw new UsageError(
      argument
        ? `There is no file or folder ${path}.`
        : `stele.json names ${path} as the folder to deploy, but it does not exist. Build the site first, or name what to deploy.`,
    );
  }
  if (stats.size > MAX_BODY_BYTES)
    throw new RefusedError(`${path} is larger than 256 MiB. Unpack it, and deploy the folder.`, 'too_large');
  return readBody(path, await readFile(path));
}

/**
 * Rejects a folder outside the project, even if a link leads there. Somebody else may have written `stele.json`, for
 * example in a cloned repository.
 */
async function assertInsideProject(file: string, path: string): Promise<void> {
  const resolveLinks = (each: string) => realpath(each).catch(() => each);
  if (!isInside(await resolveLinks(path), await resolveLinks(dirname(file))))
    throw new RefusedError(
      `${file}: \`folder\` leads to ${path}, which is outside the folder of stele.json. Name a folder inside it.`,
      'link_invalid',
      [{ command: 'stele deploy FOLDER --site NAME', when: 'to deploy another folder' }],
    );
}

/** Finds the folder with an index.html: an output folder or this one. Asks the user if there are several. */
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
      await choose(session, 'Several folders here could be the site. Which one should be deployed?', values, next),
    );
  }
  throw new UsageError(
    `There is no index.html in this folder, nor in ${OUTPUT_FOLDERS.join(', ')}. Build the site first, or name what to deploy.`,
    [{ command: 'stele deploy FOLDER', when: 'to deploy another folder' }],
  );
}

/** Reads standard input, which can be a page or an archive. */
async function readInput(): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES)
      throw new RefusedError('Standard input is larger than 256 MiB. Deploy a folder instead.', 'too_large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Recognizes an archive by its first bytes. Everything else must be a page. */
function readBody(path: string | null, content: Buffer<ArrayBuffer>): DeploySource {
  const name = path === null ? 'Standard input' : basename(path);
  if (content.length === 0) throw new UsageError(`${name} is empty.`);
  const type = recognizeType(content);
  if (type) return { kind: 'body', path, type, content };
  const isPage = path === null || /\.x?html?$/i.test(path);
  if (!isPage || content.subarray(0, 4096).includes(0))
    throw new UsageError(
      `${name} is neither a page (.html) nor an archive (.zip, .tar.gz). To deploy other files, name their folder.`,
    );
  return { kind: 'body', path, type: 'text/html; charset=utf-8', content };
}

function recognizeType(content: Buffer): string | null {
  if (content[0] === 0x1f && content[1] === 0x8b) return 'application/gzip';
  return content.subarray(0, 2).toString('latin1') === 'PK' ? 'application/zip' : null;
}
