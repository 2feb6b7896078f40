import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

/** The service accepts an upload token for 24 hours. The remaining hour is for the deploy itself. */
const KEPT_MS = 23 * 60 * 60 * 1000;

/**
 * The stored upload token of a caller without credentials. Only this token gives access to the caller's uploads, so it is
 * stored to let the next run continue an interrupted deploy.
 */
export class KeptUploadToken {
  readonly #file: string;

  constructor(cacheFolder: string, instance: string, folder: string) {
    const name = createHash('sha256')
      .update(`${instance}\n${resolve(folder)}`)
      .digest('hex');
    this.#file = join(cacheFolder, 'uploads', name.slice(0, 32));
  }

  async read(): Promise<string | null> {
    const stats = await stat(this.#file).catch(() => null);
    if (!stats || Date.now() - stats.mtimeMs > KEPT_MS) return null;
    return (await readFile(this.#file, 'utf8').catch(() => '')).trim() || null;
  }

  async write(token: string): Promise<void> {
    try {
      await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
      await writeFile(this.#file, token, { mode: 0o600 });
      await chmod(this.#file, 0o600);
    } catch {
      // If the token cannot be stored, the deploy still works, but it cannot be resumed after an interruption.
      await rm(this.#file, { force: true }).catch(() => undefined);
    }
  }
}
