import {
  MAX_HEAD_BYTES,
  MAX_INTERIM,
  MalformedResponseError,
  type ResponseHead,
} from '../../http/proxy/response-head.js';
import { MALFORMED } from '../../http/proxy/response-receiver.js';
import { ChunkedBody } from './chunked-body.js';
import { KnownHeads } from './known-heads.js';

const END = '\r\n\r\n';
const heads = new KnownHeads();
/** Matches a line feed without a carriage return. A head that contains one has no recognizable end. */
const BARE_LINE_FEED = /[^\r]\n/;

export type ResponseParts = { onHead(head: ResponseHead): void; onBody(bytes: Buffer): void };

/** `rest` contains the bytes after the response, or after a head that switches to another protocol (101). */
export type ResponseEnd = { readonly head: ResponseHead; readonly rest: Buffer };

/** Reads one response in pieces of any size. The caller may overwrite a piece after it has been read. */
export class ResponseReader {
  #head: ResponseHead | null = null;
  #partial: Buffer | null = null;
  #partialSince = 0;
  #interim = 0;
  /** Remaining bytes of a body with a known length. */
  #left = 0;
  #chunks: ChunkedBody | null = null;

  constructor(
    private readonly isAnswerToHead: boolean,
    private readonly parts: ResponseParts,
  ) {}

  get head(): ResponseHead | null {
    return this.#head;
  }

  get isUntouched(): boolean {
    return this.#head === null && this.#partial === null && this.#interim === 0;
  }

  /** Time since the first bytes of an incomplete head arrived, in milliseconds. */
  get headTook(): number {
    return this.#partial === null ? 0 : performance.now() - this.#partialSince;
  }

  /** Reads the next bytes. Returns null while the response is incomplete. Throws `MalformedResponseError`. */
  read(bytes: Buffer): ResponseEnd | null {
    if (this.#head !== null) return this.#readBody(this.#head, bytes);
    let all = this.#partial === null ? bytes : Buffer.concat([this.#partial, bytes]);
    let from = Math.max(0, (this.#partial?.length ?? 0) - END.length);
    for (;;) {
      const end = all.indexOf(END, from, 'latin1');
      const length = end < 0 ? all.length : end + END.length;
      if (length > MAX_HEAD_BYTES) throw new MalformedResponseError(MALFORMED.tooLong);
      if (end < 0) return this.#keepPartial(all);
      const head = heads.read(all.toString('latin1', 0, length), this.isAnswerToHead);
      const rest = all.subarray(length);
      this.#partial = null;
      if (head.status === 101) return { head, rest };
      if (head.status >= 200) return this.#begin(head, rest);
      // Interim (1xx) responses are not forwarded.
      if (++this.#interim > MAX_INTERIM) throw new MalformedResponseError(MALFORMED.tooManyInterim);
      if (rest.length === 0) return null;
      all = rest;
      from = 0;
    }
  }

  #keepPartial(all: Buffer): null {
    if (this.#partial === null) this.#partialSince = performance.now();
    // Reject malformed data without waiting for more, which might never arrive.
    if (!'HTTP/1.'.startsWith(all.toString('latin1', 0, 7)))
      throw new MalformedResponseError('The server’s response is not HTTP/1.1.');
    const news = all.toString('latin1', Math.max(0, (this.#partial?.length ?? 0) - 1));
    if (BARE_LINE_FEED.test(news))
      throw new MalformedResponseError('The server’s response has a header line that does not end in CRLF.');
    this.#partial = Buffer.from(all);
    return null;
  }

  #begin(head: ResponseHead, rest: Buffer): ResponseEnd | null {
    this.#head = head;
    if (head.framing.kind === 'length') this.#left = head.framing.length;
    else if (head.framing.kind === 'chunked') this.#chunks = new ChunkedBody();
    this.parts.onHead(head);
    return this.#readBody(head, rest);
  }

  #readBody(head: ResponseHead, bytes: Buffer): ResponseEnd | null {
    switch (head.framing.kind) {
      case 'none':
        return { head, rest: bytes };
      case 'length': {
        const piece = bytes.length > this.#left ? bytes.subarray(0, this.#left) : bytes;
        this.#left -= piece.length;
        if (piece.length > 0) this.parts.onBody(piece);
        return this.#left === 0 ? { head, rest: bytes.subarray(piece.length) } : null;
      }
      case 'chunked': {
        const read = this.#chunks?.read(bytes, (data) => this.parts.onBody(data)) ?? null;
        return read === null ? null : { head, rest: bytes.subarray(read) };
      }
      case 'until closed':
        if (bytes.length > 0) this.parts.onBody(bytes);
        return null;
    }
  }
}
