import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, stat, statfs, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KeyedMutex } from '../../kernel/concurrency/keyed-mutex.js';
import { alreadyGone, ignoreFault, leftToCleaning } from '../../kernel/faults/ignored-fault.js';
import type { KeptDependencies } from '../../kernel/ports/outside/builder.js';
import { removeWritten } from '../workspace/remove-written.js';
import { measureUsage } from '../workspace/usage.js';

export type CacheLimits = {
  /** Time after which unused entries are removed. */
  readonly longestMs: number;
  /**
   * Total size above which the least recently used entries are evicted. A new entry that still does not fit is
   * discarded.
   */
  readonly mostBytes: number;
  /** Maximum size of an entry in bytes. Larger entries are discarded. */
  readonly mostOfOne: number;
  /** Time after its last use during which an entry is not removed, because a build may still be reading it. */
  readonly inUseMs: number;
  /** Disk space to leave free for other purposes. */
  readonly leastFree: number;
};

const LIMITS: CacheLimits = {
  longestMs: 14 * 86_400_000,
  mostBytes: 10 * 1_073_741_824,
  mostOfOne: 2 * 1_073_741_824,
  inUseMs: 600_000,
  leastFree: 2 * 1_073_741_824,
};

/** Time after which an entry that is still being filled is considered abandoned. */
const FILLING_MS = 3_600_000;

/**
 * The only folder of a cache entry that builds can write to. Two other files of the entry contain its size and its
 * description.
 */
const KEPT = 'kept';
const BYTES = 'bytes';
const ABOUT = 'about.json';
/** File with the boot ID of the machine. Cache entries are not valid after a reboot. */
const BOOT = 'boot';

class LimitExceededError extends Error {}

/** A cache entry that is being filled. Only the first call of `keep` or `abandon` has an effect. */
export type NewEntry = {
  readonly folder: string;
  /** Makes the entry available, unless it is too large or the key already has one. */
  readonly keep: () => Promise<void>;
  readonly abandon: () => Promise<void>;
};

export type FoundEntry = { readonly folder: string; readonly kept: KeptDependencies };

/**
 * Dependencies of earlier builds. Keys are specific to a site and a lock file, so sites share nothing. Builds read
 * and write the content of entries. This class measures, moves and removes the content without following links.
 */
export class DependencyCache {
  readonly #mutex = new KeyedMutex();
  #filling = 0;

  constructor(
    private readonly folder: string,
    private readonly limits: CacheLimits = LIMITS,
  ) {}

  get mostOfOne(): number {
    return this.limits.mostOfOne;
  }

  /** Returns the entry for a key (hexadecimal digits) and marks it as used. */
  async find(key: string): Promise<FoundEntry | null> {
    const entry = join(this.folder, key);
    const now = new Date();
    const isThere = await utimes(entry, now, now).then(() => true, alreadyGone);
    const about = isThere ? await readFile(join(entry, ABOUT), 'utf8').catch(alreadyGone) : null;
    return about ? { folder: join(entry, KEPT), kept: JSON.parse(about) as KeptDependencies } : null;
  }

  /** Reports whether the disk has space for an entry of the maximum size. */
  async hasRoom(): Promise<boolean> {
    const { leastFree, mostOfOne } = this.limits;
    const { bavail, bsize } = await statfs(this.folder);
    return bavail * bsize >= leastFree + mostOfOne * (this.#filling + 1);
  }

  /** Creates an empty folder for the caller to fill. Returns null if the disk does not have enough space. */
  async begin(key: string, kept: KeptDependencies): Promise<NewEntry | null> {
    if (!(await this.hasRoom())) return null;
    const entry = join(this.folder, `new-${randomBytes(8).toString('hex')}`);
    const folder = join(entry, KEPT);
    await mkdir(folder, { recursive: true, mode: 0o711 });
    this.#filling++;
    let isOver = false;
    const over = (work: () => Promise<void>) => async () => {
      if (isOver) return;
      isOver = true;
      this.#filling--;
      await work();
    };
    const remove = () => removeWritten(entry);
    return { folder, keep: over(() => this.#keep(entry, key, kept).catch(remove)), abandon: over(remove) };
  }

  async #keep(entry: string, key: string, kept: KeptDependencies): Promise<void> {
    const { bytes } = await measureUsage(join(entry, KEPT));
    if (bytes > this.limits.mostOfOne) throw new LimitExceededError();
    await writeFile(join(entry, BYTES), String(bytes));
    await writeFile(join(entry, ABOUT), JSON.stringify(kept));
    await this.#alone(async () => {
      if (!(await this.#clean(bytes))) throw new LimitExceededError();
      // Renaming fails if another build has just created an entry for this key. That entry can be used instead.
      await rename(entry, join(this.folder, key));
    });
  }

  async forget(key: string): Promise<void> {
    const gone = join(this.folder, `gone-${randomBytes(8).toString('hex')}`);
    const isThere = await rename(join(this.folder, key), gone).then(() => true, alreadyGone);
    if (isThere) await removeWritten(gone).catch(leftToCleaning);
  }

  /** Opens the cache. Removes all entries after a reboot, because a power failure may have damaged them. */
  async start(bootId: string): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o711 });
    const file = join(this.folder, BOOT);
    if ((await readFile(file, 'utf8').catch(alreadyGone)) !== bootId) {
      for (const name of await this.#names()) await this.forget(name);
      await writeFile(file, bootId);
    }
    await this.clean();
  }

  /** Removes entries that are old or incomplete or exceed the size limit. */
  async clean(): Promise<void> {
    await this.#alone(() => this.#clean(0));
  }

  /** Runs one call at a time, so that two calls do not claim the same free space. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#mutex.run('', work);
  }

  /** Evicts entries if needed, and reports whether there is room for `more` bytes. */
  async #clean(more: number): Promise<boolean> {
    const { longestMs, mostBytes, inUseMs } = this.limits;
    const now = Date.now();
    const entries = await Promise.all((await this.#names()).map((name) => this.#entry(name)));
    let bytes = more;
    for (const { name, usedAt, size } of entries.sort((one, other) => other.usedAt - one.usedAt)) {
      const age = now - usedAt;
      // The size of an incomplete cache entry is only counted once the entry is kept.
      const isFilling = name.startsWith('new-');
      const isOver = name.startsWith('gone-') || age > (isFilling ? FILLING_MS : longestMs);
      const isTooMuch = !isFilling && bytes + size > mostBytes && age > inUseMs;
      if (isOver || isTooMuch) await this.forget(name);
      else if (!isFilling) bytes += size;
    }
    return bytes <= mostBytes;
  }

  async #entry(name: string) {
    const path = join(this.folder, name);
    const size = Number(await readFile(join(path, BYTES), 'utf8').catch(alreadyGone)) || 0;
    return { name, size, usedAt: (await stat(path).catch(alreadyGone))?.mtimeMs ?? 0 };
  }

  async #names(): Promise<readonly string[]> {
    return ((await readdir(this.folder).catch(ignoreFault)) ?? []).filter((name) => name !== BOOT);
  }
}
