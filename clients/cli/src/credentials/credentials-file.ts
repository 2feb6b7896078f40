import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pause } from 'stele-api/network/retries';
import { RefusedError } from '../command-line/errors.js';
import { configFolder } from './places.js';

export type KeptInstance = {
  /** The session token from `stele login`. */
  readonly token?: string;
  readonly email?: string;
  /** Edit tokens of anonymous sites, by slug. They cannot be recovered. */
  readonly editTokens?: Readonly<Record<string, string>>;
};

export type Credentials = {
  readonly version: 1;
  /** The instance for commands that name none. */
  readonly current?: string;
  readonly instances: Readonly<Record<string, KeptInstance>>;
};

const EMPTY: Credentials = { version: 1, instances: {} };
const LOCK_STALE_MS = 10_000;

/** The stored credentials of all instances, by origin. Only the user can read the file. */
export class CredentialsFile {
  readonly path: string;

  constructor(folder = configFolder()) {
    this.path = join(folder, 'credentials.json');
  }

  async read(): Promise<Credentials> {
    const text = await readFile(this.path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      // ENOTDIR: a part of the path is a file. Commands that need no stored credentials must still work.
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
      throw error;
    });
    if (text === null) return EMPTY;
    try {
      const credentials: Credentials = JSON.parse(text);
      if (credentials.version === 1 && typeof credentials.instances === 'object') return credentials;
    } catch {
      // Reported below.
    }
    throw new RefusedError(
      `${this.path} cannot be read. It is damaged, or was written by a newer version of stele. Repair it, or move it away and sign in again.`,
      'credentials_damaged',
    );
  }

  /** Changes the entry of one instance. Makes the instance the default if there is none yet. */
  async update(instance: string, change: (kept: KeptInstance) => KeptInstance): Promise<void> {
    await this.#replace((credentials) => ({
      ...credentials,
      current: credentials.current ?? instance,
      instances: { ...credentials.instances, [instance]: change(credentials.instances[instance] ?? {}) },
    }));
  }

  async use(instance: string): Promise<void> {
    await this.#replace((credentials) => ({
      ...credentials,
      current: instance,
      instances: { ...credentials.instances, [instance]: credentials.instances[instance] ?? {} },
    }));
  }

  keepEditToken(instance: string, slug: string, token: string): Promise<void> {
    return this.update(instance, (kept) => ({ ...kept, editTokens: { ...kept.editTokens, [slug]: token } }));
  }

  forgetEditToken(instance: string, slug: string): Promise<void> {
    return this.update(instance, ({ editTokens = {}, ...kept }) => {
      const { [slug]: _, ...others } = editTokens;
      return { ...kept, editTokens: others };
    });
  }

  /** Writes a new file and renames it, so that a crash or a full disk never loses a token. */
  async #replace(change: (credentials: Credentials) => Credentials): Promise<void> {
    const folder = join(this.path, '..');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await this.#locked(async () => {
      const temporary = `${this.path}.${process.pid}`;
      try {
        const text = `${JSON.stringify(change(await this.read()), null, 2)}\n`;
        await writeFile(temporary, text, { mode: 0o600 });
        await chmod(temporary, 0o600);
        await rename(temporary, this.path);
      } finally {
        await rm(temporary, { force: true });
      }
    });
  }

  /** Holds a lock, so that commands that run at the same time do not overwrite each other's tokens. */
  async #locked(work: () => Promise<void>): Promise<void> {
    const lock = `${this.path}.lock`;
    for (;;) {
      try {
        await mkdir(lock);
        break;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
        const { mtimeMs } = await stat(lock).catch(() => ({ mtimeMs: Date.now() }));
        if (Date.now() - mtimeMs > LOCK_STALE_MS) await rm(lock, { recursive: true, force: true });
        else await pause(20);
      }
    }
    try {
      await work();
    } finally {
      await rm(lock, { recursive: true, force: true });
    }
  }
}
