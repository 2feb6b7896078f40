import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { type ClientBase, DatabaseError } from 'pg';
import { type CopyStreamQuery, from } from 'pg-copy-streams';
import { copyText } from '../../storage/postgres/copy-text.js';

/** Number of bytes that are sent to PostgreSQL together. */
const CHUNK = 128 * 1024;

/** Number of unsent bytes above which no more rows are produced until PostgreSQL has caught up. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** Maximum number of bytes that one UTF-16 code unit takes in UTF-8. */
const MAX_BYTES_PER_CHARACTER = 3;

/**
 * Maximum number of rows per COPY, because the position of each row is kept in memory in case PostgreSQL rejects the
 * row.
 */
const MAX_ROWS = 50_000;

/** Thrown if PostgreSQL rejected a row. The message contains the position of the event that last changed the row. */
export class RejectedRowError extends Error {
  override readonly name = 'RejectedRowError';
  constructor(
    readonly position: bigint,
    cause: Error,
  ) {
    super(cause.message, { cause });
  }
}

/** Bulk-loads rows into a table. Meanwhile, the connection cannot be used for anything else. */
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

  /**
   * Adds a row. `position` is that of the last event that changed the row. Throws if the row contains a value that no
   * column type can store.
   */
  add(row: object, position: bigint): void {
    const values = row as Record<string, unknown>;
    let line = '';
    let separator = '';
    for (const property of this.#properties) {
      line += separator + copyText(values[property]);
      separator = '\t';
    }
    line += '\n';
    // Encode each line immediately. Concatenating strings would create trees of strings that survive several garbage
    // collections, which took a third of the time of a rebuild.
    this.#makeRoom(line.length * MAX_BYTES_PER_CHARACTER);
    this.#length += this.#chunk.write(line, this.#length);
    this.#positions.push(position);
  }

  /** Resolves once PostgreSQL has caught up with the added rows. Must be called regularly. */
  async flow(): Promise<void> {
    if (this.#full.length === 0) return;
    const stream = this.#begun();
    let more = true;
    for (const chunk of this.#full.splice(0)) more = stream.write(chunk);
    if (this.#failure) throw this.#named(this.#failure);
    if (!more) await once(stream, 'drain').catch((error) => Promise.reject(this.#named(error)));
    if (this.#positions.length >= MAX_ROWS) await this.end();
  }

  /** Ends the COPY. Resolves once all added rows are in the table. */
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
    this.#stream = this.#client.query(from(this.#statement, { highWaterMark: MAX_WAITING_BYTES }));
    this.#stream.on('error', (error) => {
      this.#failure ??= error;
    });
    return this.#stream;
  }

  /**
   * Makes sure that the bytes fit in the current chunk. If they do not, queues that chunk for sending and starts
   * another.
   */
  #makeRoom(bytes: number) {
    if (bytes <= this.#chunk.length - this.#length) return;
    if (this.#length > 0) this.#full.push(this.#chunk.subarray(0, this.#length));
    this.#chunk = Buffer.allocUnsafeSlow(Math.max(CHUNK, bytes));
    this.#length = 0;
  }

  /** Adds the event's position to a PostgreSQL error, which gives only a line number. */
  #named(error: unknown): unknown {
    if (!(error instanceof DatabaseError)) return error;
    const line = Number(/, line (\d+)/.exec(error.where ?? '')?.[1]);
    const position = this.#positions[line - 1];
    return position === undefined ? error : new RejectedRowError(position, error);
  }
}
