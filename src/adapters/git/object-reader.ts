import { type GitProcess, startGit } from './git-process.js';

/** Reads objects of a clone, one at a time, with a single `git cat-file --batch` process. */
export class ObjectReader {
  readonly #git: GitProcess;
  readonly #pieces: AsyncIterator<Buffer>;
  /** Bytes of git’s output that were received but not consumed. */
  #rest: Buffer = Buffer.alloc(0);
  #busy = false;

  constructor(
    folder: string,
    private readonly signal: AbortSignal,
  ) {
    this.#git = startGit({ args: [`--git-dir=${folder}`, 'cat-file', '--batch'] }, signal);
    this.#pieces = (this.#git.stdout as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  }

  /** Yields the bytes of a blob or commit. Each object must be read to its end, or the reader cannot be reused. */
  async *content(oid: string): AsyncGenerator<Buffer> {
    if (this.#busy) throw new Error('The previous file must be read completely first.');
    this.#busy = true;
    this.#git.stdin.write(`${oid}\n`);
    const [, size] = / (?:blob|commit) (\d+)$/.exec(await this.#line()) ?? [];
    if (size === undefined) throw new Error('Git does not have this object.');
    for (let left = Number(size); left > 0; ) {
      const piece = await this.#some(left);
      left -= piece.length;
      yield piece;
    }
    await this.#some(1); // In git’s output, a line feed follows each object.
    this.#busy = false;
  }

  async close(): Promise<void> {
    this.#git.kill();
    await this.#git.ended;
  }

  async #line(): Promise<string> {
    for (;;) {
      const end = this.#rest.indexOf(10);
      if (end >= 0) {
        const line = this.#rest.toString('latin1', 0, end);
        this.#rest = this.#rest.subarray(end + 1);
        return line;
      }
      this.#rest = Buffer.concat([this.#rest, await this.#next()]);
    }
  }

  async #some(atMost: number): Promise<Buffer> {
    const from = this.#rest.length > 0 ? this.#rest : await this.#next();
    this.#rest = from.subarray(atMost);
    return from.subarray(0, atMost);
  }

  async #next(): Promise<Buffer> {
    const { value, done } = await this.#pieces.next();
    if (!done) return value;
    await this.#git.ended;
    this.signal.throwIfAborted();
    this.#git.assertNotKilled();
    throw new Error('Git exited before sending all of its output.');
  }
}
