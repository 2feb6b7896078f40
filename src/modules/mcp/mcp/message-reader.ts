import { setImmediate } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { JsonMeter } from '../../../edge/http/api/body/json-meter.js';
import { arriving, assertJson, parseJson, refuseSize } from '../../../edge/http/api/body/read-body.js';
import { CONTENT_ARGUMENTS, type ContentArguments, isContentArgument, SENT_APART } from '../tools/content-arguments.js';

/** Maximum size of a message including its files. For larger content, clients must use the tool prepare_upload. */
const MAX_BYTES = 4_194_304;

export const MAX_BYTES_BESIDE_FILES = 262_144;

/** Maximum number of object members and array items in a message, not counting its files. */
const MAX_VALUES = 1_000;

const BYTES_PER_TURN = 131_072;

const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACE = 0x7d;

/** Keys that lead to the arguments of a tool call in a message: `params.arguments`. */
const PATH = ['params', 'arguments'] as const;
const ARGUMENTS_DEPTH = PATH.length + 1;

export type Message = {
  /**
   * The parsed message. An argument that is in `content` has the value `SENT_APART` instead of its own. Undefined if
   * the body is empty.
   */
  readonly message: unknown;
  readonly content: ContentArguments;
};

/**
 * Extracts the files from a message while it arrives. Files are not parsed and do not count towards the limits of a
 * message. The endpoint that receives the files reads them one entry at a time.
 */
export class MessageReader {
  readonly #meter = new JsonMeter(MAX_VALUES, ARGUMENTS_DEPTH);
  readonly #content = new Map<(typeof CONTENT_ARGUMENTS)[number], Buffer>();
  readonly #path: string[] = [];
  readonly #rest: Buffer[] = [];
  #restBytes = 0;
  #argument: (typeof CONTENT_ARGUMENTS)[number] | null = null;
  #pieces: Buffer[] = [];

  /** Processes the next chunk of a message. Refuses with `too_large` or `invalid_request`. */
  add(chunk: Buffer): void {
    let start = 0;
    this.#meter.add(chunk, (byte, at) => {
      const { depth } = this.#meter;
      if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.#path[depth] = '';
      else if (byte === COLON) {
        this.#path[depth - 1] = this.#meter.lastText;
        const argument = this.#contentArgument(depth);
        if (argument === null) return;
        this.#keep(chunk.subarray(start, at + 1));
        this.#argument = argument;
        start = at + 1;
      } else if (this.#argument !== null && depth === ARGUMENTS_DEPTH && (byte === COMMA || byte === CLOSE_BRACE)) {
        this.#pieces.push(chunk.subarray(start, at));
        this.#content.set(this.#argument, Buffer.concat(this.#pieces));
        this.#pieces = [];
        this.#argument = null;
        this.#meter.isCounting = true;
        this.#keep(SENT_APART_JSON);
        start = at;
      }
      this.#meter.isCounting = this.#argument === null;
    });
    if (this.#argument === null) this.#keep(chunk.subarray(start));
    else this.#pieces.push(chunk.subarray(start));
  }

  /** Returns the complete message. Must be called after the last chunk. Refuses invalid JSON with `invalid_request`. */
  end(): Message {
    const message = this.#restBytes === 0 ? undefined : parseJson(Buffer.concat(this.#rest));
    return { message, content: this.#content };
  }

  #contentArgument(depth: number) {
    if (depth !== ARGUMENTS_DEPTH || PATH.some((name, at) => this.#path[at] !== name)) return null;
    const name = this.#path[ARGUMENTS_DEPTH - 1];
    return isContentArgument(name) ? name : null;
  }

  #keep(bytes: Buffer) {
    this.#restBytes += bytes.length;
    if (this.#restBytes > MAX_BYTES_BESIDE_FILES) refuseSize(MAX_BYTES_BESIDE_FILES);
    this.#rest.push(bytes);
  }
}

const SENT_APART_JSON = Buffer.from(JSON.stringify(SENT_APART));

/**
 * Reads a message. Before each chunk is processed, calls `charge` with the total number of bytes so far; `charge` can
 * refuse the message. Also refuses with `unsupported_media_type`, `too_large` or `invalid_request`.
 */
export async function readMessage(
  request: FastifyRequest,
  charge: (totalBytes: number) => Promise<void>,
): Promise<Message> {
  assertJson(request);
  const reader = new MessageReader();
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced <= MAX_BYTES) await charge(announced);
  let size = 0;
  let nextTurn = BYTES_PER_TURN;
  for await (const chunk of arriving(request, request.raw, MAX_BYTES)) {
    size += chunk.length;
    await charge(size);
    reader.add(chunk);
    if (size < nextTurn) continue;
    // Let other work run in between, because Node reads up to 2 MiB from a connection in one turn of the event loop.
    await setImmediate();
    nextTurn = size + BYTES_PER_TURN;
  }
  return reader.end();
}
