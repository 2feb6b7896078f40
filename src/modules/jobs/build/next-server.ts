import { posix } from 'node:path';
import type { Plan } from '../../../events/repo-source.js';
import { type BuildTool, type Sandbox, UnarchivableOutputError } from '../../../kernel/ports/outside/builder.js';
import { BuildError } from './build-failed.js';

/** Makes Next.js trace the files of a standalone server, whatever next.config says. Does not affect static exports. */
export const STANDALONE = { NEXT_PRIVATE_STANDALONE: 'true' } as const;

/** File that Next.js writes for static exports only. */
const EXPORTED = 'export-detail.json';

/** First file of a stored server; it states how to start the server. The output of Next.js is in a folder beside it. */
const START = 'stele.json';
const APP = 'app';

/**
 * Returns the server built by Next.js as an archive, or null if Next.js exported files instead. The first file,
 * `stele.json`, contains `{ "kind": "next", "entry", "node" }`: the path of the entry script in the archive, and the
 * exact Node version of the build if that is not the machine's own. Files for browsers are stored where the server
 * looks for them. Throws `BuildError`, possibly only while the archive is read.
 */
export async function nextServer(
  sandbox: Sandbox,
  { rootDirectory }: Pick<Plan, 'rootDirectory'>,
  tools: readonly BuildTool[],
): Promise<AsyncIterable<Uint8Array> | null> {
  const built = posix.join(rootDirectory, '.next');
  const files = await sandbox.files(built);
  if (files?.some(({ path }) => path === EXPORTED)) return null;
  const folder = serverFolder(new Set(files?.map(({ path }) => path)), rootDirectory);
  if (folder === null)
    throw new BuildError(
      'Next.js did not build a server in .next/standalone. Use Next.js 12.1 or later, and leave distDir at its default.',
    );
  const node = tools.find(({ name }) => name === 'node')?.version ?? null;
  const at = posix.join(APP, folder);
  const start = { kind: 'next', entry: posix.join(at, SERVER), node };
  return archived(
    sandbox.archive({ [START]: `${JSON.stringify(start)}\n` }, [
      { folder: posix.join(built, STANDALONE_FOLDER), at: APP },
      { folder: posix.join(built, 'static'), at: posix.join(at, '.next/static') },
      { folder: posix.join(rootDirectory, 'public'), at: posix.join(at, 'public') },
    ]),
  );
}

const STANDALONE_FOLDER = 'standalone';
const SERVER = 'server.js';

/**
 * Returns the folder of the server that Next.js built. Next.js names it relative to the repository, the project or any
 * folder in between.
 */
function serverFolder(paths: ReadonlySet<string | null>, rootDirectory: string): string | null {
  const parts = rootDirectory === '.' ? [] : rootDirectory.split('/');
  const folders = Array.from({ length: parts.length + 1 }, (_, from) => parts.slice(from).join('/') || '.');
  return folders.find((folder) => paths.has(posix.join(STANDALONE_FOLDER, folder, SERVER))) ?? null;
}

async function* archived(archive: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* archive;
  } catch (error) {
    throw error instanceof UnarchivableOutputError
      ? new BuildError(`The server could not be stored: ${error.message}`)
      : error;
  }
}
