import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import { acceptedCodings, type Coding } from '../../../edge/http/negotiation/accept-encoding.js';
import { type CachedResponse, headText, type OnSent } from '../../../edge/http/server/first-handler.js';
import { enforceWriteTimeout } from '../../../edge/http/server/write-timeout.js';
import { BlobStore, type ByteRange } from '../../../storage/blobs/blob-store.js';
import { parseByteRanges } from '../conditions/byte-ranges.js';
import { canSendPart, evaluate, isConditional, type RequestFields } from '../conditions/preconditions.js';
import type { Body } from '../content/body-cache.js';
import { ContentCache, WHOLE } from '../content/content-cache.js';
import { type StoredFile, streamFile } from '../content/file-bytes.js';
import type { FileResponse, HeaderList } from './file-response.js';

/**
 * Time after which visitors who accept no bytes are disconnected. It is shorter than in nginx (60 s), because anyone
 * can be a visitor.
 */
const STALLED_MS = 20_000;

const NONE: readonly Coding[] = [];

@Injectable()
export class FileSender {
  constructor(
    private readonly contentCache: ContentCache,
    private readonly blobs: BlobStore,
  ) {}

  /** Returns the response if it can be sent immediately, or null if something has to be read or compressed first. */
  cachedResponse(
    isHead: boolean,
    fields: RequestFields,
    answer: FileResponse,
    onSent: OnSent | null,
  ): CachedResponse | null {
    const ready = this.#ready(isHead, fields, answer, planOf(isHead, fields, answer));
    if (!ready) return null;
    if (ready.body) ready.body.wasUsed = true;
    return { head: textOf(ready, answer), body: ready.body?.bytes ?? null, status: ready.status, onSent };
  }

  /**
   * Responds to GET and HEAD, synchronously if no disk access is needed. Otherwise resolves when everything has been
   * passed to the connection.
   */
  send(
    { method }: IncomingMessage,
    response: ServerResponse,
    fields: RequestFields,
    answer: FileResponse,
  ): Promise<void> | undefined {
    const isHead = method === 'HEAD';
    const plan = planOf(isHead, fields, answer);
    const ready = this.#ready(isHead, fields, answer, plan);
    if (ready) return write(response, ready);
    if (Array.isArray(plan.ranges)) return this.#parts(response, answer, plan.ranges);
    const [coding] = plan.codings;
    return coding === undefined
      ? this.#plain(response, answer)
      : this.contentCache.encoded(answer.file, coding, answer.siteId).then((body) => {
          const made = this.#encoded(isHead, answer, body, plan.identity);
          return made ? write(response, made) : this.#plain(response, answer);
        });
  }

  #ready(
    isHead: boolean,
    fields: RequestFields,
    answer: FileResponse,
    { codings, identity, ranges }: SendPlan,
  ): ReadyAnswer | null {
    const [coding = null] = codings;
    if (answer.status === 200 && isConditional(fields)) {
      const verdict = evaluate(fields, answer.validators(ranges === null ? coding : null));
      if (verdict === 'failed') return { status: 412, head: answer.headOfRefusal(), body: null };
      if (verdict !== 'go') return { status: 304, head: answer.headOfUnchanged(verdict.same), body: null };
    }
    if (ranges === 'unsatisfiable') {
      const head = [...answer.headOfRefusal(), 'content-range', `bytes */${answer.file.size}`];
      return { status: 416, head, body: null };
    }
    if (Array.isArray(ranges)) return null;
    if (coding !== null) {
      const body = this.contentCache.kept(answer.file.sha256, coding);
      return body ? this.#encoded(isHead, answer, body, identity) : null;
    }
    return identity ? this.#whole(isHead, answer) : { status: 406, head: answer.headOfRefusal(), body: null };
  }

  /**
   * Chooses between a compressed body and the uncompressed content. `body` is null if too much is being compressed.
   * Returns null if the uncompressed content has to be read first.
   */
  #encoded(isHead: boolean, answer: FileResponse, body: Body | null, identity: boolean): ReadyAnswer | null {
    if (body === null || body.bytes === null)
      return identity ? this.#whole(isHead, answer) : { status: 406, head: answer.headOfRefusal(), body: null };
    return { status: answer.status, head: answer.head(body), body: isHead ? null : body };
  }

  #whole(isHead: boolean, answer: FileResponse): ReadyAnswer | null {
    if (isHead) return { status: answer.status, head: answer.head(null), body: null };
    const body = this.contentCache.kept(answer.file.sha256, null);
    return body ? { status: answer.status, head: answer.head(body), body } : null;
  }

  #plain(response: ServerResponse, answer: FileResponse): Promise<void> {
    const { file, status } = answer;
    if (file.size > WHOLE) return this.#stream(response, status, answer.head(null), streamFile(this.blobs, file));
    return this.contentCache.whole(file).then((body) => write(response, { status, head: answer.head(body), body }));
  }

  #parts(response: ServerResponse, answer: FileResponse, ranges: readonly ByteRange[]): Promise<void> {
    const { file, type } = answer;
    const [only] = ranges;
    if (only && ranges.length === 1) {
      const head = [...answer.headOfPart(type, lengthOf(only)), 'content-range', rangeOf(only, file)];
      return this.#stream(response, 206, head, this.#part(file, only));
    }
    const boundary = randomBytes(16).toString('hex');
    const parts = ranges.map((range) => ({
      range,
      head: `\r\n--${boundary}\r\n${type === null ? '' : `content-type: ${type}\r\n`}content-range: ${rangeOf(range, file)}\r\n\r\n`,
    }));
    const tail = `\r\n--${boundary}--\r\n`;
    const length = parts.reduce((sum, { head, range }) => sum + head.length + lengthOf(range), tail.length);
    const head = answer.headOfPart(`multipart/byteranges; boundary=${boundary}`, length);
    return this.#stream(response, 206, head, this.#multipart(file, parts, tail));
  }

  async *#multipart(
    file: StoredFile,
    parts: readonly { readonly range: ByteRange; readonly head: string }[],
    tail: string,
  ) {
    for (const { head, range } of parts) {
      yield Buffer.from(head, 'latin1');
      yield* this.#part(file, range);
    }
    yield Buffer.from(tail, 'latin1');
  }

  async *#part(file: StoredFile, range: ByteRange): AsyncGenerator<Buffer> {
    if (file.size > WHOLE) yield* streamFile(this.blobs, file, range);
    else yield (await this.contentCache.whole(file)).buffer.subarray(range.first, range.last + 1);
  }

  /**
   * Send the head with the first chunk, so that an error while the first chunk is read can still be reported with its
   * own status.
   */
  async #stream(response: ServerResponse, status: number, head: string[], pieces: AsyncIterable<Buffer>) {
    const iterator = pieces[Symbol.asyncIterator]();
    const first = await iterator.next();
    response.writeHead(status, head);
    if (first.done) return void response.end();
    enforceWriteTimeout(response, STALLED_MS);
    const rest = { [Symbol.asyncIterator]: () => iterator };
    // A visitor who disconnects during the response does not cause an error.
    await pipeline(after(first.value, rest), response).catch((error) => {
      if (!response.destroyed) throw error;
    });
  }
}

async function* after(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

type SendPlan = {
  /** Compressions that the visitor accepts, in order of preference. */
  readonly codings: readonly Coding[];
  /** Whether the visitor accepts uncompressed content. */
  readonly identity: boolean;
  /** Requested ranges of the uncompressed content; null if none were requested, `whole` if they are to be ignored. */
  readonly ranges: readonly ByteRange[] | 'unsatisfiable' | 'whole' | null;
};

function planOf(isHead: boolean, fields: RequestFields, answer: FileResponse): SendPlan {
  const { codings, identity } = acceptedCodings(fields.acceptEncoding);
  return {
    codings: answer.isNegotiable ? codings : NONE,
    identity,
    // Ranges refer to the uncompressed content and apply only to GET (RFC 9110 section 14.2).
    ranges: answer.status === 200 && !isHead && identity ? rangesFor(fields, answer) : null,
  };
}

function rangesFor({ range, ifRange }: RequestFields, answer: FileResponse): SendPlan['ranges'] {
  if (range === undefined) return null;
  return canSendPart(ifRange, answer.validators(null)) ? parseByteRanges(range, answer.file.size) : 'whole';
}

type ReadyAnswer = { readonly status: number; readonly head: HeaderList; readonly body: Body | null };

function write(response: ServerResponse, { status, head, body }: ReadyAnswer): undefined {
  response.writeHead(status, head);
  if (body === null) return void response.end();
  body.wasUsed = true;
  if (typeof body.bytes === 'string') response.end(body.bytes, 'latin1');
  else response.end(body.bytes);
  enforceWriteTimeout(response, STALLED_MS);
}

/**
 * Heads as strings, by header list, so that each is converted only once. Heads of error responses are not cached,
 * because they are built anew for each request.
 */
const texts = new WeakMap<HeaderList, string>();

function textOf({ status, head }: ReadyAnswer, answer: FileResponse): string {
  const known = texts.get(head);
  if (known !== undefined) return known;
  const text = headText(status, head);
  if (status >= 400) return text;
  texts.set(head, text);
  answer.grow(text.length);
  return text;
}

const lengthOf = ({ first, last }: ByteRange) => last - first + 1;
const rangeOf = ({ first, last }: ByteRange, { size }: StoredFile) => `bytes ${first}-${last}/${size}`;
