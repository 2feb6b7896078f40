import { isUtf8 } from 'node:buffer';
import { refuseInvalid } from '../../../../kernel/faults/schema-faults.js';
import { ByteReader } from '../byte-reader.js';
import { unescaped } from './json-string.js';

const LONE_SURROGATE =
  'contains half of a surrogate pair (\\ud800 to \\udfff), which is not a character; for binary content, use "encoding": "base64"';

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

export const notJson = (message = 'is not valid JSON'): never => refuseInvalid({ path: '', message });

/**
 * Parses JSON (RFC 8259) as it arrives. Buffers only the current token, and leaves nesting to the caller. Memory use
 * therefore does not depend on the size or depth of the body. Methods throw `invalid_request` for invalid JSON.
 */
export class JsonReader {
  readonly #bytes: ByteReader;
  #began = false;
  /** True until something other than whitespace has arrived. */
  #isEmpty = true;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#bytes = new ByteReader(inUtf8(chunks));
  }

  /** Returns the next character other than whitespace, without consuming it. Throws at the end. */
  async peek(): Promise<string> {
    return (await this.#next()) || notJson(this.#isEmpty ? 'is empty' : 'contains incomplete JSON');
  }

  /** Returns the next character other than whitespace, without consuming it, or an empty string at the end. */
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

  async expect(character: string): Promise<void> {
    if ((await this.peek()) !== character) notJson();
    this.#bytes.take(1);
  }

  /** Reports whether another member or item follows. If not, consumes the closing bracket. */
  async another(close: '}' | ']'): Promise<boolean> {
    const next = await this.peek();
    if (next !== ',' && next !== close) notJson();
    this.#bytes.take(1);
    return next === ',';
  }

  /** Reports whether an object or array is empty. If so, consumes the closing bracket. */
  async empty(close: '}' | ']'): Promise<boolean> {
    if ((await this.peek()) !== close) return false;
    this.#bytes.take(1);
    return true;
  }

  /**
   * Yields the characters of a string in UTF-8 as they arrive. `field` is the string’s location, for error messages.
   */
  async *string(field = ''): AsyncGenerator<Buffer> {
    await this.expect('"');
    for (;;) {
      const { text, used, ended, isLone } = unescaped(this.#bytes.buffer) ?? notJson();
      this.#bytes.take(used);
      if (text.length > 0) yield text;
      if (isLone) refuseInvalid({ path: field, message: LONE_SURROGATE });
      if (ended) return;
      if (!(await this.#bytes.more())) notJson('contains incomplete JSON');
    }
  }

  /** Reads a string. Returns null if it is longer than `limit` bytes, after consuming part of it. */
  async shortString(limit: number, field = ''): Promise<string | null> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of this.string(field)) {
      size += chunk.length;
      if (size > limit) return null;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  }

  /** Consumes `true`, `false`, `null` or a number. Returns null if the next token is anything else. */
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

  /** Throws if anything other than whitespace follows the JSON value. */
  async end(): Promise<void> {
    if ((await this.#next()) !== '') notJson('contains data after the end of the JSON');
  }

  async #begin(): Promise<void> {
    this.#began = true;
    while (this.#bytes.buffer.length < BYTE_ORDER_MARK.length) if (!(await this.#bytes.more())) return;
    if (this.#bytes.buffer.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK))
      this.#bytes.take(BYTE_ORDER_MARK.length);
  }
}

const isBlank = (byte: number | undefined) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

const isBare = (byte: number | undefined) =>
  byte !== undefined &&
  ((byte >= 0x61 && byte <= 0x7a) || (byte >= 0x2b && byte <= 0x39 && byte !== 0x2c && byte !== 0x2f) || byte === 0x45);

/**
 * Throws if the bytes are not UTF-8. Otherwise, the decoder would insert replacement characters, and content would be
 * published that no client has sent.
 */
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

/** Counts the bytes at the end that belong to an incomplete UTF-8 character. */
function incompleteBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}
