import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, stat, statfs, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KeyedMutex } from '../../kernel/concurrency/keyed-mutex.js';
import { alreadyGone, doneWithout, leftToCleaning } from '../../kernel/faults/ignored-fault.js';
import type { KeptDependencies } from '../../kernel/ports/outside/builder.js';
import { removeWritten } from '../workspace/remove-written.js';
import { usageOf } from '../workspace/usage.js';

export type CacheLimits = {
  /** What was not used for so long is removed. */
  readonly longestMs: number;
  /** Of all that is kept; what was used longest ago goes first. Nothing is kept where it would be more. */
  readonly mostBytes: number;
  /** More than so much of one build is not kept. */
  readonly mostOfOne: number;
  /** What was used within this time may just be being read: it is not removed. */
  readonly inUseMs: number;
  /** So much room on the disk is left to others. */
  readonly leastFree: number;
};

const LIMITS: CacheLimits = {
  longestMs: 14 * 86_400_000,
  mostBytes: 10 * 1_073_741_824,
  mostOfOne: 2 * 1_073_741_824,
  inUseMs: 600_000,
  leastFree: 2 * 1_073_741_824,
};

/** An entry that is still being filled after this time never will be. */
const FILLING_MS = 3_600_000;

/** Of an entry: what builds wrote. They cannot write to the other two: how many bytes that is, and what it is. */
const KEPT = 'kept';
const BYTES = 'bytes';
const ABOUT = 'about.json';
/** Says since which start of the machine entries are here. */
const BOOT = 'boot';

class TooMuch extends Error {}

/** A folder that is being filled. One of both is called; another call does nothing. */
export type NewEntry = {
  readonly folder: string;
  /** From now on it is found under the key, unless another is, or it is too much. */
  readonly keep: () => Promise<void>;
  readonly abandon: () => Promise<void>;
};

export type FoundEntry = { readonly folder: string; readonly kept: KeptDependencies };

/**
 * The dependencies of earlier builds, by a key that says of which site and which lock file they are: those of one site
 * never come into another’s build. What lies in a folder was written by builds, and is read by builds only: here it is
 * counted, moved and removed, and no link in it is followed.
 */
export class DependencyCache {
  readonly #mutex = new KeyedMutex();
  #filling = 0;

  constructor(
    private readonly folder: string,
    private readonly limits: CacheLimits = LIMITS,
  ) {}

  /** Bytes that an entry may have. */
  get mostOfOne(): number {
    return this.limits.mostOfOne;
  }

  /** What is kept under a key (hexadecimal digits), which counts as used now; null where there is nothing. */
  async find(key: string): Promise<FoundEntry | null> {
    const entry = join(this.folder, key);
    const now = new Date();
    const isThere = await utimes(entry, now, now).then(() => true, alreadyGone);
    const about = isThere ? await readFile(join(entry, ABOUT), 'utf8').catch(alreadyGone) : null;
    return about ? { folder: join(entry, KEPT), kept: JSON.parse(about) as KeptDependencies } : null;
  }

  /** Whether the disk has room for one more of the largest size. */
  async hasRoom(): Promise<boolean> {
    const { leastFree, mostOfOne } = this.limits;
    const { bavail, bsize } = await statfs(this.folder);
    return bavail * bsize >= leastFree + mostOfOne * (this.#filling + 1);
  }

  /** An empty folder beside the others, to be kept or abandoned. Null where the disk has no room to fill it. */
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
    const { bytes } = await usageOf(join(entry, KEPT));
    if (bytes > this.limits.mostOfOne) throw new TooMuch();
    await writeFile(join(entry, BYTES), String(bytes));
    await writeFile(join(entry, ABOUT), JSON.stringify(kept));
    await this.#alone(async () => {
      if (!(await this.#clean(bytes))) throw new TooMuch();
      // Fails where another build has put its own there meanwhile: either will do.
      await rename(entry, join(this.folder, key));
    });
  }

  /** What is under the key is not found again. */
  async forget(key: string): Promise<void> {
    const gone = join(this.folder, `gone-${randomBytes(8).toString('hex')}`);
    const isThere = await rename(join(this.folder, key), gone).then(() => true, alreadyGone);
    if (isThere) await removeWritten(gone).catch(leftToCleaning);
  }

  /**
   * Before anything is kept or found. What was kept before the machine started anew goes: a machine that lost its power
   * may have lost part of it.
   */
  async start(bootId: string): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o711 });
    const file = join(this.folder, BOOT);
    if ((await readFile(file, 'utf8').catch(alreadyGone)) !== bootId) {
      for (const name of await this.#names()) await this.forget(name);
      await writeFile(file, bootId);
    }
    await this.clean();
  }

  /** Removes what is too old, what is too much, and what was left half done by a process that was killed. */
  async clean(): Promise<void> {
    await this.#alone(() => this.#clean(0));
  }

  /** Looking at everything and adding to it: one at a time, or two would fill the same room. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#mutex.run('', work);
  }

  /** Answers whether there is room for so many bytes more. */
  async #clean(more: number): Promise<boolean> {
    const { longestMs, mostBytes, inUseMs } = this.limits;
    const now = Date.now();
    const entries = await Promise.all((await this.#names()).map((name) => this.#entry(name)));
    let bytes = more;
    for (const { name, usedAt, size } of entries.sort((one, other) => other.usedAt - one.usedAt)) {
      const age = now - usedAt;
      // Counted when it is kept.
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
    return ((await readdir(this.folder).catch(doneWithout)) ?? []).filter((name) => name !== BOOT);
  }
}
