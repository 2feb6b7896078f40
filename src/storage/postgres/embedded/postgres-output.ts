import { open, readFile, rename, stat, truncate } from 'node:fs/promises';

const largest = 8 * 1024 * 1024;

/**
 * The log file of PostgreSQL. PostgreSQL writes to it directly, so that it can still log if this process is killed.
 * Keeps at most 8 MiB, plus 8 MiB of older output: at startup, a large file is renamed to `.1`. While the server runs,
 * `bound` empties a file that has grown too large.
 */
export class PostgresOutput {
  constructor(readonly path: string) {}

  /** Returns a file handle for appending, and the offset at which the output of the next start will begin. */
  async open() {
    const size = await this.size();
    if (size > largest) await rename(this.path, `${this.path}.1`);
    return { file: await open(this.path, 'a', 0o600), begin: size > largest ? 0 : size };
  }

  async since(begin: number): Promise<string> {
    return (await readFile(this.path)).subarray(begin).toString();
  }

  async bound(): Promise<void> {
    if ((await this.size()) > largest) await truncate(this.path, 0);
  }

  private async size(): Promise<number> {
    return stat(this.path).then(
      ({ size }) => size,
      () => 0,
    );
  }
}
