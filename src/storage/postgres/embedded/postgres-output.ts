import { open, readFile, rename, stat, truncate } from 'node:fs/promises';

const largest = 8 * 1024 * 1024;

/**
 * PostgreSQL’s log file. PostgreSQL writes to it directly, so that it can still log if this process is killed. At
 * startup, a file of more than 8 MiB is renamed to `.1`; while the server runs, `bound` empties the file instead.
 */
export class PostgresOutput {
  constructor(readonly path: string) {}

  /** Returns a file handle for appending, and the offset at which new output begins. */
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
