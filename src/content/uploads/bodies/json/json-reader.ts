import { isUtf8 } from 'node:buffer';
import { refuseInvalid } from '../../../../kernel/faults/schema-faults.js';
import { ByteReader } from '../byte-reader.js';
import { unescaped } from './json-string.js';

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

export const notJson = (message = 'is not valid JSON'): never => refuseInvalid({ path: '', message });

/**
 * Reads JSON (RFC 8259) as it arrives, one token after another. It holds only the token that is asked for, and follows
 * no nesting by itself, so that neither the size nor the depth of a body costs memory. Every method refuses with
 * `invalid_request` what is not JSON.
 */
export class JsonReader {
  readonly #bytes: ByteReader;
  #began = false;
  /** Whether only white space has arrived. */
  #isEmpty = true;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#bytes = new ByteReader(inUtf8(chunks));
  }

  /** The next byte that is no white space, as a character. It is not taken. Refuses the end. */
  async peek(): Promise<string> {
    return (await this.#next()) || notJson(this.#isEmpty ? 'is empty' : 'ends in the middle of its JSON');
  }

  /** The next byte that is no white space, as a character; an empty string at the end. It is not taken. */
  async #next(): Promise<string> {
    if (!this.#began) await this.#begin();
    for (;;) {
      const { buffer } = this.#bytes;
      let at = 0;
      while (at < buffer.length && isBlank(buffer[at])) at++;
      if (at > 0) this.#bytes.take(at);
      const first = buffer[at];
      if (first !== undefined) {
        this.#isEmpty = false;
        return String.fromCharCode(first);
      }
      if (!(await this.#bytes.more())) return '';
    }
  }

  /** Takes the next byte, which must be this one. */
  async expect(character: string): Promise<void> {
    if ((await this.peek()) !== character) notJson();
    this.#bytes.take(1);
  }

  /** After a member or an item: whether another one follows. If not, the closing bracket was taken. */
  async another(close: '}' | ']'): Promise<boolean> {
    const next = await this.peek();
    if (next !== ',' && next !== close) notJson();
    this.#bytes.take(1);
    return next === ',';
  }

  /** Whether an object or array that was just opened is empty. If so, its closing bracket was taken. */
  async empty(close: '}' | ']'): Promise<boolean> {
    if ((await this.peek()) !== close) return false;
    this.#bytes.take(1);
    return true;
  }

  /** The characters of a string in UTF-8, as they arrive. */
  async *string(): AsyncGenerator<Buffer> {
    await this.expect('"');
    for (;;) {
      const { text, used, ended } = unescaped(this.#bytes.buffer) ?? notJson();
      this.#bytes.take(used);
      if (text.length > 0) yield text;
      if (ended) return;
      if (!(await this.#bytes.more())) notJson('ends in the middle of its JSON');
    }
  }

  /** A string of at most `limit` bytes; null, with part of it read, if it is longer. */
  async shortString(limit: number): Promise<string | null> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of this.string()) {
      size += chunk.length;
      if (size > limit) return null;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  }

  /** Takes `true`, `false`, `null` or a number, as it is written; null if the next token is none of these. */
  async bare(): Promise<string | null> {
    await this.peek();
    for (;;) {
      const { buffer } = this.#bytes;
      let at = 0;
      while (at < buffer.length && at < 64 && isBare(buffer[at])) at++;
      if (at < buffer.length || !(await this.#bytes.more())) {
        const text = this.#bytes.take(at).toString('latin1');
        return /^(true|false|null|-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?)$/.test(text) ? text : null;
      }
    }
  }

  /** Refuses anything but white space up to the end of the body. */
  async end(): Promise<void> {
    if ((await this.#next()) !== '') notJson('has data after the end of its JSON');
  }

  async #begin(): Promise<void> {
    this.#began = true;
    while (this.#bytes.buffer.length < BYTE_ORDER_MARK.length) if (!(await this.#bytes.more())) return;
    if (this.#bytes.buffer.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK))
      this.#bytes.take(BYTE_ORDER_MARK.length);
  }
}

const isBlank = (byte: number | undefined) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** Whether a byte may be part of a literal or a number. */
const isBare = (byte: number | undefined) =>
  byte !== undefined &&
  ((byte >= 0x61 && byte <= 0x7a) || (byte >= 0x2b && byte <= 0x39 && byte !== 0x2c && byte !== 0x2f) || byte === 0x45);

/** Passes on UTF-8, and refuses other bytes: a replacement character would be content that no client sent. */
async function* inUtf8(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let incomplete: Uint8Array = new Uint8Array();
  for await (const chunk of chunks) {
    const joined = incomplete.length === 0 ? chunk : Buffer.concat([incomplete, chunk]);
    const whole = joined.length - incompleteBytes(joined);
    if (!isUtf8(joined.subarray(0, whole))) notJson('is not valid UTF-8');
    incomplete = joined.subarray(whole);
    yield chunk;
  }
}

/** How many bytes at the end belong to a character that is not complete. */
function incompleteBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}
