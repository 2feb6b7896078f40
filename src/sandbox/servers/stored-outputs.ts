import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract } from 'tar';
import { alreadyGone } from '../../kernel/faults/ignored-fault.js';
import { UnrunnableServerError } from '../../kernel/ports/outside/server-runner.js';
import { removeWritten } from '../workspace/remove-written.js';

/** Limits of one build output. No larger output can have been stored. */
const MAX_BYTES = 8 * 1_073_741_824;
const MAX_ENTRIES = 500_000;
/** Number of outputs to keep for later starts, in addition to those in use. */
const KEPT = 20;
/** Maximum depth of a server’s folder. Sufficient for applications in monorepos. */
const DEEPEST = 6;

export type UnpackedOutput = {
  readonly folder: string;
  /** Folder that contains `server.js`, relative to `folder` (`.` for `folder` itself). */
  readonly start: string;
  /** Releases the folder, so that it can be removed. */
  release(): void;
};

/** Unpacked outputs, read-only in sandboxes. Each output is unpacked once and shared by all servers that run it. */
export class StoredOutputs {
  readonly #uses = new Map<string, number>();
  readonly #unpacking = new Map<string, Promise<string>>();

  constructor(private readonly folder: string) {}

  /** Unpacks an output, unless it is already unpacked. Throws `UnrunnableServerError` if it contains no server. */
  async take(digest: string, content: () => AsyncIterable<Uint8Array>): Promise<UnpackedOutput> {
    this.#uses.set(digest, (this.#uses.get(digest) ?? 0) + 1);
    let isReleased = false;
    const release = () => {
      if (isReleased) return;
      isReleased = true;
      this.#uses.set(digest, (this.#uses.get(digest) ?? 1) - 1);
    };
    try {
      const unpacking = this.#unpacking.get(digest) ?? this.#unpack(digest, content);
      this.#unpacking.set(digest, unpacking);
      return { folder: join(this.folder, digest), start: await unpacking, release };
    } catch (error) {
      this.#unpacking.delete(digest);
      release();
      throw error;
    }
  }

  async #unpack(digest: string, content: () => AsyncIterable<Uint8Array>): Promise<string> {
    await this.#removeOldest();
    const folder = join(this.folder, digest);
    const incoming = `${folder}.new`;
    await rm(incoming, { recursive: true, force: true });
    await mkdir(incoming, { recursive: true, mode: 0o755 });
    try {
      await pipeline(Readable.from(content()), unpackInto(incoming));
      const start = await serverIn(incoming);
      if (start === null) throw new UnrunnableServerError('The build output has no server.js next to a .next folder.');
      // Creates the mount point for Next.js’s writable cache.
      await mkdir(join(incoming, start, '.next/cache'), { recursive: true });
      await rename(incoming, folder);
      return start;
    } catch (error) {
      await removeWritten(incoming);
      throw error;
    }
  }

  async #removeOldest(): Promise<void> {
    const unused = [...this.#unpacking.keys()].filter((digest) => (this.#uses.get(digest) ?? 0) === 0);
    for (const digest of unused.slice(0, Math.max(0, unused.length - KEPT))) {
      this.#unpacking.delete(digest);
      this.#uses.delete(digest);
      await removeWritten(join(this.folder, digest));
    }
  }
}

/**
 * Unpacks only files, folders and links, and makes them readable for everyone. Only programs in a sandbox follow the
 * links.
 */
function unpackInto(cwd: string) {
  let bytes = 0;
  let entries = 0;
  return extract({
    cwd,
    strict: true,
    preserveOwner: false,
    noMtime: true,
    filter: (_, entry) => {
      if (!('type' in entry) || !['File', 'OldFile', 'Directory', 'SymbolicLink'].includes(entry.type)) return false;
      bytes += entry.size ?? 0;
      entries += 1;
      if (bytes > MAX_BYTES || entries > MAX_ENTRIES)
        throw new UnrunnableServerError('The build output is too large to run.');
      entry.mode = entry.type === 'Directory' || ((entry.mode ?? 0) & 0o111) !== 0 ? 0o755 : 0o644;
      return true;
    },
  });
}

/** Returns the folder nearest to the root that contains `server.js` and `.next`. Does not follow links. */
async function serverIn(root: string): Promise<string | null> {
  let level = ['.'];
  for (let depth = 0; depth < DEEPEST && level.length > 0; depth++) {
    const below: string[] = [];
    for (const folder of level.sort()) {
      const found = (await readdir(join(root, folder), { withFileTypes: true }).catch(alreadyGone)) ?? [];
      const names = found.filter((entry) => entry.isFile()).map(({ name }) => name);
      const folders = found.filter((entry) => entry.isDirectory()).map(({ name }) => name);
      if (names.includes('server.js') && folders.includes('.next')) return folder;
      below.push(...folders.filter((name) => name !== 'node_modules').map((name) => join(folder, name)));
    }
    level = below;
  }
  return null;
}
