import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

type Entry = readonly [size: string, mtimeNs: string, ctimeNs: string, inode: string, sha256: string];
type Stored = { readonly version: 1; readonly files: Record<string, Entry> };

/**
 * A file that changed more recently than this could change again and keep its modification time, because file systems
 * round times. Its hash is not stored. (Git calls such entries racy.)
 */
const SETTLED_AFTER_NS = 2_000_000_000n;

/**
 * The hashes of the files of one folder, by the properties that change with their content: size, mtime and ctime in
 * nanoseconds, and inode. The cache is only an optimization, so a missing or damaged one counts as empty.
 */
export class HashCache {
  readonly #file: string;
  readonly #old: Record<string, Entry>;
  readonly #new: Record<string, Entry> = {};

  private constructor(file: string, old: Record<string, Entry>) {
    this.#file = file;
    this.#old = old;
  }

  /** Opens the cache for `folder`. It is stored in `cacheFolder`, which must be outside `folder`. */
  static async open(cacheFolder: string, folder: string): Promise<HashCache> {
    const name = createHash('sha256').update(folder).digest('hex').slice(0, 32);
    const file = join(cacheFolder, 'hashes', `${name}.json`);
    const stored = await readFile(file, 'utf8')
      .then((text): Stored => JSON.parse(text))
      .catch(() => null);
    return new HashCache(file, stored?.version === 1 ? stored.files : {});
  }

  find(path: string, stats: BigIntStats): string | undefined {
    const entry = this.#old[path];
    if (!entry || !describe(stats).every((value, index) => value === entry[index])) return undefined;
    this.#new[path] = entry;
    return entry[4];
  }

  /** Stores the hash of a file. The caller must have checked that the file did not change while it was read. */
  remember(path: string, stats: BigIntStats, sha256: string): void {
    const latest = stats.mtimeNs > stats.ctimeNs ? stats.mtimeNs : stats.ctimeNs;
    if (BigInt(Date.now()) * 1_000_000n - latest < SETTLED_AFTER_NS) return;
    this.#new[path] = [...describe(stats), sha256];
  }

  /** Replaces the stored cache. Hashes of files that no longer exist are left out. */
  async save(): Promise<void> {
    const temporary = `${this.#file}.${process.pid}`;
    const stored: Stored = { version: 1, files: this.#new };
    try {
      await mkdir(dirname(this.#file), { recursive: true });
      await writeFile(temporary, JSON.stringify(stored));
      await rename(temporary, this.#file);
    } catch {
      // Ignore a full or read-only disk: the next deploy hashes the files again.
      await rm(temporary, { force: true }).catch(() => undefined);
    }
  }
}

const describe = ({ size, mtimeNs, ctimeNs, ino }: BigIntStats) =>
  [String(size), String(mtimeNs), String(ctimeNs), String(ino)] as const;
