import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { type ClientBase, DatabaseError } from 'pg';
import { type CopyStreamQuery, from } from 'pg-copy-streams';
import { copyText } from '../../storage/postgres/copy-text.js';

/** What is handed to PostgreSQL at once, in bytes. */
const CHUNK = 128 * 1024;

/** What may wait for PostgreSQL to take it before more is made, in bytes: it reads one table's rows while we fold another's. */
const MOST_WAITING = 1024 * 1024;

/** Of UTF-8, for each character of a JavaScript string at most. */
const MOST_BYTES_OF_CHARACTER = 3;

/**
 * After so many rows a COPY ends and the next begins: the position of each row is remembered, for one that is refused.
 */
const MOST_ROWS = 50_000;

/** A row that PostgreSQL did not take, and the event that made it what it is. */
export class RowRefused extends Error {
  override readonly name = 'RowRefused';
  constructor(
    readonly position: bigint,
    cause: Error,
  ) {
    super(cause.message, { cause });
  }
}

/** Rows for one table in bulk. Nothing else may use its connection while rows are under way. */
export class CopyIn {
  readonly #client: ClientBase;
  readonly #statement: string;
  readonly #properties: readonly string[];
  #stream: CopyStreamQuery | undefined;
  #failure: Error | undefined;
  #full: Buffer[] = [];
  #chunk = Buffer.allocUnsafeSlow(CHUNK);
  #length = 0;
  #positions: bigint[] = [];

  constructor(client: ClientBase, statement: string, properties: readonly string[]) {
    this.#client = client;
    this.#statement = statement;
    this.#properties = properties;
  }

  /** `position` is that of the event that the row follows from. Throws for a value that no column takes. */
  add(row: object, position: bigint): void {
    const values = row as Record<string, unknown>;
    let line = '';
    let separator = '';
    for (const property of this.#properties) {
      line += separator + copyText(values[property]);
      separator = '\t';
    }
    line += '\n';
    // Each line becomes bytes at once: a chunk that is put together as text is a tree of pieces, all of which survive
    // one collection after the other (a third of a rebuild's time was that).
    this.#makeRoom(line.length * MOST_BYTES_OF_CHARACTER);
    this.#length += this.#chunk.write(line, this.#length);
    this.#positions.push(position);
  }

  /** Resolves when PostgreSQL keeps pace with what was added. To be called now and then. */
  async flow(): Promise<void> {
    if (this.#full.length === 0) return;
    const stream = this.#begun();
    let more = true;
    for (const chunk of this.#full.splice(0)) more = stream.write(chunk);
    if (this.#failure) throw this.#named(this.#failure);
    if (!more) await once(stream, 'drain').catch((error) => Promise.reject(this.#named(error)));
    if (this.#positions.length >= MOST_ROWS) await this.end();
  }

  /** Resolves when all that was added is in the table. */
  async end(): Promise<void> {
    if (!this.#stream && this.#full.length === 0 && this.#length === 0) return;
    const stream = this.#begun();
    this.#makeRoom(CHUNK);
    for (const chunk of this.#full.splice(0)) stream.write(chunk);
    stream.end();
    try {
      await finished(stream);
    } catch (error) {
      throw this.#named(this.#failure ?? error);
    }
    this.#stream = undefined;
    this.#positions = [];
  }

  #begun(): CopyStreamQuery {
    if (this.#stream) return this.#stream;
    this.#stream = this.#client.query(from(this.#statement, { highWaterMark: MOST_WAITING }));
    this.#stream.on('error', (error) => {
      this.#failure ??= error;
    });
    return this.#stream;
  }

  /** For so many bytes; what has come so far is handed over when they do not fit behind it. */
  #makeRoom(bytes: number) {
    if (bytes <= this.#chunk.length - this.#length) return;
    if (this.#length > 0) this.#full.push(this.#chunk.subarray(0, this.#length));
    this.#chunk = Buffer.allocUnsafeSlow(Math.max(CHUNK, bytes));
    this.#length = 0;
  }

  /** PostgreSQL says which line it was; which event that is only we know. */
  #named(error: unknown): unknown {
    if (!(error instanceof DatabaseError)) return error;
    const line = Number(/, line (\d+)/.exec(error.where ?? '')?.[1]);
    const position = this.#positions[line - 1];
    return position === undefined ? error : new RowRefused(position, error);
  }
}
