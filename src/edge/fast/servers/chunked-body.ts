import { MalformedResponseError } from '../../http/proxy/response-head.js';

/** Maximum length in bytes of a chunk's first line (including ignored extensions), and of all trailers together. */
const MAX_LINE_LENGTH = 256;
const MAX_TRAILERS_LENGTH = 8 * 1_024;

const SIZE_LINE = /^([0-9a-f]{1,8})(?:[\t ]*;[\t\x20-\x7e\x80-\xff]*)?$/i;
const TRAILER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*$/;

const LF = 0x0a;
const CR = 0x0d;

/** Reads a chunked body (RFC 9112 section 7.1) in pieces of any size. Validates but ignores extensions and trailers. */
export class ChunkedBody {
  #left = 0;
  #reading: 'size' | 'data' | 'end of data' | 'trailers' = 'size';
  #line = '';
  #trailers = 0;

  /**
   * Passes the content to `take`. Returns the position in `bytes` after the end of the body, or null if more bytes are
   * needed. Throws `MalformedResponseError`.
   */
  read(bytes: Buffer, take: (data: Buffer) => void): number | null {
    let at = 0;
    while (at < bytes.length) {
      if (this.#reading === 'data') {
        const end = Math.min(bytes.length, at + this.#left);
        take(bytes.subarray(at, end));
        this.#left -= end - at;
        at = end;
        if (this.#left === 0) this.#reading = 'end of data';
        continue;
      }
      const end = bytes.indexOf(LF, at);
      this.#line += bytes.toString('latin1', at, end < 0 ? bytes.length : end);
      if (this.#line.length > (this.#reading === 'trailers' ? MAX_TRAILERS_LENGTH : MAX_LINE_LENGTH))
        throw new MalformedResponseError('The server’s response has a chunk header or trailer that is too long.');
      if (end < 0) return null;
      at = end + 1;
      if (this.#endLine()) return at;
    }
    return null;
  }

  #endLine(): boolean {
    if (this.#line.charCodeAt(this.#line.length - 1) !== CR)
      throw new MalformedResponseError('The server’s response has a chunk line that does not end in CRLF.');
    const line = this.#line.slice(0, -1);
    this.#line = '';
    if (this.#reading === 'size') this.#begin(line);
    else if (this.#reading === 'end of data') {
      if (line !== '')
        throw new MalformedResponseError('The server’s response has a chunk longer than its declared size.');
      this.#reading = 'size';
    } else {
      if (line === '') return true;
      this.#trailers += line.length;
      if (this.#trailers > MAX_TRAILERS_LENGTH || !TRAILER.test(line))
        throw new MalformedResponseError('The server’s response has malformed or too many trailers.');
    }
    return false;
  }

  #begin(line: string) {
    const size = SIZE_LINE.exec(line)?.[1];
    if (size === undefined) throw new MalformedResponseError('The server’s response has a chunk without a valid size.');
    this.#left = Number.parseInt(size, 16);
    this.#reading = this.#left === 0 ? 'trailers' : 'data';
  }
}
