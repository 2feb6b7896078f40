import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { alreadyGone, leftToCleaning } from '../../kernel/faults/ignored-fault.js';
import { usageOf } from '../workspace/usage.js';

/** What was not used for so long is removed. */
const LONGEST_MS = 14 * 86_400_000;
/** Of all that is kept; what was used longest ago goes first. */
const MOST_BYTES = 10 * 1_073_741_824;
/** More than so much of one build is not kept. */
const MOST_OF_ONE = 2 * 1_073_741_824;

/** A folder that is being filled. */
export type NewEntry = {
  readonly folder: string;
  /** Takes the place of what was kept under the key. */
  readonly keep: () => Promise<void>;
  readonly abandon: () => Promise<void>;
};

/**
 * The dependencies of earlier builds, by a key that says whose and of which lock file they are: nobody’s can come into
 * another’s build. What lies in a folder was written by builds, and is read by builds only.
 */
export class DependencyCache {
  constructor(private readonly folder: string) {}

  /** The folder that is kept under a key (hexadecimal digits), which counts as used now; null where there is none. */
  async find(key: string): Promise<string | null> {
    const folder = join(this.folder, key);
    if (!(await stat(folder).catch(alreadyGone))) return null;
    const now = new Date();
    await utimes(folder, now, now);
    return folder;
  }

  /** An empty folder beside the others. */
  async begin(key: string): Promise<NewEntry> {
    const folder = join(this.folder, `new-${randomBytes(8).toString('hex')}`);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const abandon = () => rm(folder, { recursive: true, force: true });
    const keep = async () => {
      if ((await usageOf(folder)).bytes > MOST_OF_ONE) return abandon();
      await rm(join(this.folder, key), { recursive: true, force: true });
      // Somebody else may have put theirs there meanwhile: either will do.
      await rename(folder, join(this.folder, key)).catch(abandon);
    };
    return { folder, keep, abandon };
  }

  /** Removes what is too old, what is too much, and what was left half done by a process that was killed. */
  async clean(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o711 });
    const now = Date.now();
    const entries = await Promise.all(
      (await readdir(this.folder)).map(async (name) => ({ name, used: await this.#usedAt(name) })),
    );
    let bytes = 0;
    for (const { name, used } of entries.sort((one, other) => other.used - one.used)) {
      const path = join(this.folder, name);
      const isOld = now - used > (name.startsWith('new-') ? 3_600_000 : LONGEST_MS);
      if (!isOld) bytes += (await usageOf(path)).bytes;
      if (isOld || bytes > MOST_BYTES) await rm(path, { recursive: true, force: true }).catch(leftToCleaning);
    }
  }

  async #usedAt(name: string): Promise<number> {
    return (await stat(join(this.folder, name)).catch(alreadyGone))?.mtimeMs ?? 0;
  }
}
