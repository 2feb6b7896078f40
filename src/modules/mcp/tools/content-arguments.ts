import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { JsonReader } from '../../../content/uploads/bodies/json/json-reader.js';
import type { InnerBody } from '../../../edge/http/inner/inner-requests.js';
import { refuseInvalid } from '../../../kernel/faults/schema-faults.js';

export const CONTENT_ARGUMENTS = ['html', 'files'] as const;

export type ContentArgumentName = (typeof CONTENT_ARGUMENTS)[number];

/**
 * Arguments of a tool call that contain files, by argument name. Each value is JSON that was neither parsed nor
 * validated.
 */
export type ContentArguments = ReadonlyMap<ContentArgumentName, Buffer>;

/**
 * Replaces an argument with files in a parsed message, because the files are extracted before the message is parsed.
 */
export const SENT_APART = true;

export const isContentArgument = (name: string | undefined): name is ContentArgumentName =>
  CONTENT_ARGUMENTS.some((each) => each === name);

export type RequestBody = InnerBody & { readonly type: string };

/** Number of bytes of a file argument that are passed on before other requests get a turn. */
const PIECE = 65_536;

/**
 * Builds the request body of a deploy from `html`, an unparsed JSON string. A value of another type is refused with
 * `invalid_request`.
 */
export async function pageBody(json: Buffer | undefined): Promise<RequestBody> {
  if (json === undefined) refuseInvalid({ path: 'html', message: 'is required and must be a string' });
  const reader = new JsonReader(piecesOf([json]));
  if ((await reader.peek()) !== '"') refuseInvalid({ path: 'html', message: 'must be a string' });
  const pieces: Buffer[] = [];
  for await (const piece of reader.string()) pieces.push(piece);
  await reader.end();
  return bodyOf('text/html', pieces);
}

export const textBody = (json: string): RequestBody => bodyOf('application/json', [Buffer.from(json)]);

export const filesBody = (json: Buffer | undefined): RequestBody =>
  bodyOf('application/json', json ? [Buffer.from('{"files":'), json, Buffer.from('}')] : [Buffer.from('{}')]);

const bodyOf = (type: string, pieces: readonly Buffer[]): RequestBody => ({
  type,
  size: pieces.reduce((sum, { length }) => sum + length, 0),
  open: () => Readable.from(piecesOf(pieces)),
});

async function* piecesOf(all: readonly Buffer[]): AsyncGenerator<Buffer> {
  for (const bytes of all)
    for (let at = 0; at < bytes.length; at += PIECE) {
      yield bytes.subarray(at, at + PIECE);
      await setImmediate();
    }
}
