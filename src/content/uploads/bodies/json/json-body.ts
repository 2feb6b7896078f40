import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { refuseInvalid, toFaults, UNKNOWN_MEMBER } from '../../../../kernel/faults/schema-faults.js';
import { refuse } from '../../../../kernel/refusal.js';
import type { DeployLimits } from '../../deploy-limits.js';
import { SpooledContent } from '../../spool/spooled-content.js';
import { bodyChunks, type UploadedEntry } from '../body-chunks.js';
import { members, readJsonString, refuseField } from './json-members.js';
import { JsonReader } from './json-reader.js';

type DecodedContent = Uint8Array | AsyncIterable<Uint8Array>;

/** Decodes base64 (RFC 4648 section 4) with line breaks. Throws `invalid_request` if it is invalid. */
function decodedBase64(text: DecodedContent, field: string): DecodedContent {
  if (!(text instanceof Uint8Array)) return decodedChunks(text, field);
  const decoder = new Base64(field);
  const bytes = decoder.add(text);
  decoder.end();
  return bytes;
}

async function* decodedChunks(text: AsyncIterable<Uint8Array>, field: string): AsyncGenerator<Uint8Array> {
  const decoder = new Base64(field);
  for await (const chunk of text) yield decoder.add(chunk);
  decoder.end();
}

class Base64 {
  /** Up to three base64 characters of a group that is not complete yet. */
  #pending = '';
  #padded = false;

  constructor(private readonly field: string) {}

  add(chunk: Uint8Array): Buffer {
    const arrived = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1');
    const digits = this.#pending + arrived.replace(/[\r\n]/g, '');
    const whole = digits.length - (digits.length % 4);
    const groups = digits.slice(0, whole);
    if (groups !== '' && this.#padded) this.#refuse();
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(groups)) this.#refuse();
    this.#padded ||= groups.endsWith('=');
    this.#pending = digits.slice(whole);
    return Buffer.from(groups, 'base64');
  }

  end(): void {
    if (this.#pending !== '') this.#refuse();
  }

  #refuse(): never {
    return refuseInvalid({ path: this.field, message: 'must be base64 (RFC 4648, section 4)' });
  }
}

const missing = {
  error: ({ input }: { input?: unknown }) =>
    input === undefined ? 'is required and must be a string' : 'must be a string',
};
const path = z.string(missing).meta({ description: 'Path of the file within the site, such as assets/app.js.' });
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 digest of 64 lowercase hexadecimal digits');

export const FileEntry = z
  .strictObject({ path, content: z.string(), encoding: z.enum(['utf-8', 'base64']).default('utf-8') })
  .meta({ description: 'A file with its content, as text or base64.' });
const OwnedEntry = z.strictObject({ path, sha256 }).meta({
  description:
    'A file whose content the caller has already uploaded, or that is already part of one of the caller’s sites.',
});
const DeletedEntry = z
  .strictObject({ path, delete: z.literal(true) })
  .meta({ description: 'A file to delete. Only with `mode=merge`.' });

/** Schema of the whole body, used only for the API description. Bodies are parsed entry by entry. */
export const DeployJson = z.strictObject({ files: z.array(z.union([FileEntry, OwnedEntry, DeletedEntry])) });

const SpooledEntry = FileEntry.extend({ content: z.instanceof(SpooledContent, missing) });

const OTHER_WAYS = {
  suggestion:
    'Send a zip or tar.gz archive instead, or send each file with PUT /v1/uploads/{sha256} and refer to it by `sha256`.',
};

/**
 * Parses `{ "files": [{ "path", "content", "encoding" }] }` as it arrives. Content that is too large for memory is
 * spooled to an unnamed file in `folder`.
 */
export async function* jsonBody(
  request: IncomingMessage,
  limits: DeployLimits,
  folder: string,
): AsyncGenerator<UploadedEntry> {
  const json = new JsonReader(bodyChunks(request, limits.bodyBytes, OTHER_WAYS));
  const spooled = new SpooledContent(folder);
  let index = 0;
  try {
    for await (const key of members(json, '')) {
      if (key !== 'files') refuseField(key, UNKNOWN_MEMBER);
      if ((await json.peek()) !== '[') refuseField('files', 'must be an array');
      await json.expect('[');
      if (await json.empty(']')) continue;
      do {
        const field = `files[${index++}]`;
        yield uploadedEntryOf(await entryOf(json, field, spooled), field);
      } while (await json.another(']'));
    }
    await json.end();
    if (index === 0) refuse('no_files', '`files` is missing or empty.');
  } finally {
    await spooled.close();
  }
}

type UncheckedEntry = Record<string, string | true | SpooledContent>;

async function entryOf(json: JsonReader, field: string, spooled: SpooledContent): Promise<UncheckedEntry> {
  const entry: UncheckedEntry = {};
  for await (const key of members(json, field)) {
    const at = `${field}.${key}`;
    if (key === 'delete') {
      if ((await json.bare()) !== 'true') refuseField(at, 'must be true');
      entry[key] = true;
    } else if (key === 'content') {
      if ((await json.peek()) !== '"') refuseField(at, 'must be a string');
      await spooled.fill(json.string(at));
      entry[key] = spooled;
    } else if (key === 'path' || key === 'encoding' || key === 'sha256') entry[key] = await readJsonString(json, at);
    else refuseField(at, UNKNOWN_MEMBER);
  }
  return entry;
}

function uploadedEntryOf(entry: UncheckedEntry, field: string): UploadedEntry {
  if ('sha256' in entry) return { field, ...parsed(OwnedEntry, entry, field) };
  if ('delete' in entry) return { field, ...parsed(DeletedEntry, entry, field) };
  const { path, content, encoding } = parsed(SpooledEntry, entry, field);
  const bytes = content.take();
  return { path, field, content: encoding === 'utf-8' ? bytes : decodedBase64(bytes, `${field}.content`) };
}

function parsed<Schema extends z.ZodType>(schema: Schema, entry: UncheckedEntry, field: string): z.output<Schema> {
  const result = schema.safeParse(entry);
  if (result.success) return result.data;
  const faults = toFaults(result.error.issues).map(({ path, message }) => ({
    path: path === '' ? field : `${field}.${path}`,
    message,
  }));
  return refuseInvalid(...faults);
}
