import { open, readFile, rename, stat, truncate } from 'node:fs/promises';

const largest = 8 * 1024 * 1024;

/**
 * The file PostgreSQL writes to by itself, so that it also logs as an orphan. At most 8 MiB are kept, beside 8 MiB of
 * before: at a start a large file moves to `.1`, and `bound` empties one that grows too large meanwhile.
 */
export class PostgresOutput {
  constructor(readonly path: string) {}

  /** A descriptor to append by, and where the next start's lines begin. */
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
