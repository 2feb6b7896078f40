import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { Inject, Injectable } from '@nestjs/common';
import { BlobStore, type ByteRange } from '../../blobs/blob-store.js';
import type { ManifestFile } from '../../blobs/manifest.js';
import { cutWhenStalled } from '../../edge/stalled.js';
import { type Coding, takenBy } from './accept-encoding.js';
import type { Asked } from './asked.js';
import { rangesOf } from './byte-ranges.js';
import { Contents, WHOLE } from './contents.js';
import type { FileAnswer } from './file-answer.js';
import type { Body } from './hot-memory.js';
import { evaluate, isConditional, mayHavePart } from './preconditions.js';

/** A visitor who takes no byte for so long is let go. nginx waits 60 s; but anybody may be a visitor. */
const STALLED_MS = 20_000;

const NONE: readonly Coding[] = [];

/** Sends files: whole or in part, in the coding a visitor takes, or only the word that they have it already. */
@Injectable()
export class FileSender {
  constructor(
    @Inject(Contents) private readonly contents: Contents,
    @Inject(BlobStore) private readonly blobs: BlobStore,
  ) {}

  /** Answers at once what needs nothing from disk; else what it promises is that the answer is under way. For GET and HEAD. */
  send(
    { method }: IncomingMessage,
    response: ServerResponse,
    asked: Asked,
    answer: FileAnswer,
  ): Promise<void> | undefined {
    const isHead = method === 'HEAD';
    const isFound = answer.status === 200;
    const taken = takenBy(asked.acceptEncoding);
    const codings = answer.isNegotiable ? taken.codings : NONE;
    const [coding = null] = codings;
    // A range is one of the plain bytes, and only GET has ranges (RFC 9110 section 14.2).
    const range = isFound && !isHead && taken.identity ? asked.range : undefined;

    if (isFound && isConditional(asked)) {
      const verdict = evaluate(asked, answer.validators(range === undefined ? coding : null));
      if (verdict === 'failed') return end(response, 412, answer.headOfRefusal());
      if (verdict !== 'go') return end(response, 304, answer.headOfUnchanged(verdict.same));
    }
    if (range !== undefined && mayHavePart(asked.ifRange, answer.validators(null))) {
      const ranges = rangesOf(range, answer.file.size);
      if (ranges === 'unsatisfiable')
        return end(response, 416, [...answer.headOfRefusal(), 'content-range', `bytes */${answer.file.size}`]);
      if (ranges !== 'whole') return this.#parts(response, answer, ranges);
    }
    if (coding !== null) return this.#encoded(response, answer, coding, taken.identity, isHead);
    return taken.identity ? this.#plain(response, answer, isHead) : end(response, 406, answer.headOfRefusal());
  }

  #plain(response: ServerResponse, answer: FileAnswer, isHead: boolean): Promise<void> | undefined {
    if (isHead) return end(response, answer.status, answer.head(null));
    if (answer.file.size > WHOLE)
      return this.#stream(response, answer.status, answer.head(null), this.blobs.stream(answer.file.sha256));
    const body = this.contents.kept(answer.file.sha256, null);
    if (body) return whole(response, answer, body);
    return this.contents.whole(answer.file).then((read) => whole(response, answer, read));
  }

  #encoded(
    response: ServerResponse,
    answer: FileAnswer,
    coding: Coding,
    identity: boolean,
    isHead: boolean,
  ): Promise<void> | undefined {
    const send = (body: Body | null) => {
      // No smaller than the plain bytes, or too much to do just now.
      if (body === null || body.bytes === null)
        return identity ? this.#plain(response, answer, isHead) : end(response, 406, answer.headOfRefusal());
      return isHead ? end(response, answer.status, answer.head(body)) : whole(response, answer, body);
    };
    const body = this.contents.kept(answer.file.sha256, coding);
    return body ? send(body) : this.contents.encoded(answer.file, coding).then(send);
  }

  #parts(response: ServerResponse, answer: FileAnswer, ranges: readonly ByteRange[]): Promise<void> {
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
    file: ManifestFile,
    parts: readonly { readonly range: ByteRange; readonly head: string }[],
    tail: string,
  ) {
    for (const { head, range } of parts) {
      yield Buffer.from(head, 'latin1');
      yield* this.#part(file, range);
    }
    yield Buffer.from(tail, 'latin1');
  }

  async *#part(file: ManifestFile, range: ByteRange): AsyncGenerator<Buffer> {
    if (file.size > WHOLE) yield* this.blobs.stream(file.sha256, range);
    else yield (await this.contents.whole(file)).buffer.subarray(range.first, range.last + 1);
  }

  /** The head goes out with the first piece, so that what cannot be read is still a fault of ours with its own status. */
  async #stream(response: ServerResponse, status: number, head: string[], pieces: AsyncIterable<Buffer>) {
    const iterator = pieces[Symbol.asyncIterator]();
    const first = await iterator.next();
    response.writeHead(status, head);
    if (first.done) return void response.end();
    cutWhenStalled(response, STALLED_MS);
    const rest = { [Symbol.asyncIterator]: () => iterator };
    // A visitor who leaves in the middle is no fault of anybody's.
    await pipeline(after(first.value, rest), response).catch((error) => {
      if (!response.destroyed) throw error;
    });
  }
}

async function* after(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

function whole(response: ServerResponse, answer: FileAnswer, body: Body): undefined {
  body.wasUsed = true;
  const { bytes } = body;
  response.writeHead(answer.status, answer.head(body));
  if (typeof bytes === 'string') response.end(bytes, 'latin1');
  else response.end(bytes);
  cutWhenStalled(response, STALLED_MS);
}

function end(response: ServerResponse, status: number, head: string[]): undefined {
  response.writeHead(status, head).end();
}

const lengthOf = ({ first, last }: ByteRange) => last - first + 1;
const rangeOf = ({ first, last }: ByteRange, { size }: ManifestFile) => `bytes ${first}-${last}/${size}`;
