import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { faultsOf } from '../../../edge/shape.js';
import { refuse } from '../../../kernel/refusal.js';
import type { DeployLimits } from '../../../settings.js';
import { decodedBase64 } from './base64.js';
import { bodyPieces } from './body-pieces.js';
import { HeldContent } from './held-content.js';
import type { Incoming } from './incoming.js';
import { JsonReader } from './json-reader.js';

const missing = { error: ({ input }: { input?: unknown }) => (input === undefined ? 'is missing' : 'is not a string') };
const path = z.string(missing).meta({ description: 'Where the file stands in the site, such as assets/app.js.' });
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'is not a SHA-256 in 64 hexadecimal digits');

export const FileEntry = z
  .strictObject({ path, content: z.string(), encoding: z.enum(['utf-8', 'base64']).default('utf-8') })
  .meta({ description: 'One file. `content` is text, or base64 of any bytes.' });
const OwnedEntry = z
  .strictObject({ path, sha256 })
  .meta({ description: 'One file whose content the caller has in a site of theirs already.' });
const DeletedEntry = z
  .strictObject({ path, delete: z.literal(true) })
  .meta({ description: 'With `mode=merge`: one file that goes.' });

/** For the description; a body is read one entry at a time, and never whole. */
export const DeployJson = z.strictObject({ files: z.array(z.union([FileEntry, OwnedEntry, DeletedEntry])) });

const Held = FileEntry.extend({ content: z.instanceof(HeldContent, missing) });

/** Longer than any path that is taken, in bytes. */
const SHORT = 4096;

/**
 * `application/json`: `{ "files": [{ "path", "content", "encoding" }] }`, read as it arrives. What does not fit into a
 * little memory waits in a file without a name in `folder`.
 */
export async function* jsonBody(
  request: IncomingMessage,
  limits: DeployLimits,
  folder: string,
): AsyncGenerator<Incoming> {
  const json = new JsonReader(bodyPieces(request, limits.bodyBytes));
  const held = new HeldContent(folder);
  let index = 0;
  try {
    for await (const _ of members(json, 'files')) {
      if ((await json.peek()) !== '[') wrong('files', 'is not a list');
      await json.expect('[');
      if (await json.empty(']')) continue;
      do {
        const field = `files[${index++}]`;
        yield asIncoming(await entryOf(json, field, held), field);
      } while (await json.another(']'));
    }
    await json.end();
    if (index === 0) refuse('no_files', '“files” is missing or empty.');
  } finally {
    await held.close();
  }
}

/** Stops at the value of the one member that this object may have. */
async function* members(json: JsonReader, only: string): AsyncGenerator<void> {
  if ((await json.peek()) !== '{') wrong('', 'is not an object');
  await json.expect('{');
  if (await json.empty('}')) return;
  const seen = new Set<string>();
  do {
    const key = await keyOf(json, '', seen);
    if (key !== only) wrong(key, 'is not known');
    yield;
  } while (await json.another('}'));
}

type Entry = Record<string, string | true | HeldContent>;

async function entryOf(json: JsonReader, field: string, held: HeldContent): Promise<Entry> {
  if ((await json.peek()) !== '{') wrong(field, 'is not an object');
  await json.expect('{');
  const entry: Entry = {};
  if (await json.empty('}')) return entry;
  const seen = new Set<string>();
  do {
    const key = await keyOf(json, field, seen);
    const at = `${field}.${key}`;
    if (!['path', 'content', 'encoding', 'sha256', 'delete'].includes(key)) wrong(at, 'is not known');
    if (key === 'delete') {
      if ((await json.bare()) !== 'true') wrong(at, 'is not true');
      entry[key] = true;
    } else if ((await json.peek()) !== '"') wrong(at, 'is not a string');
    else if (key === 'content') {
      await held.fill(json.string());
      entry[key] = held;
    } else entry[key] = (await json.shortString(SHORT)) ?? wrong(at, `is longer than ${SHORT} bytes`);
  } while (await json.another('}'));
  return entry;
}

/** The name of the next member. One that stands there twice has two meanings. */
async function keyOf(json: JsonReader, field: string, seen: Set<string>): Promise<string> {
  const key = (await json.shortString(SHORT)) ?? wrong(field, 'has an endless name in it');
  const at = field === '' ? key : `${field}.${key}`;
  if (seen.has(key)) wrong(at, 'is there twice');
  seen.add(key);
  await json.expect(':');
  return key;
}

function asIncoming(entry: Entry, field: string): Incoming {
  if ('sha256' in entry) return { field, ...fitting(OwnedEntry, entry, field) };
  if ('delete' in entry) return { field, ...fitting(DeletedEntry, entry, field) };
  const { path, content, encoding } = fitting(Held, entry, field);
  const bytes = content.take();
  return { path, field, content: encoding === 'utf-8' ? bytes : decodedBase64(bytes, `${field}.content`) };
}

function fitting<Schema extends z.ZodType>(schema: Schema, entry: Entry, field: string): z.output<Schema> {
  const result = schema.safeParse(entry);
  if (result.success) return result.data;
  const faults = faultsOf(result.error.issues).map(({ path, message }) => ({
    path: path === '' ? field : `${field}.${path}`,
    message,
  }));
  return refuse('invalid_request', faults[0] && `${faults[0].path}: ${faults[0].message}.`, faults);
}

const wrong = (path: string, message: string): never => {
  const shown = path
    .toWellFormed()
    .replace(/\p{Control}/gu, '\ufffd')
    .slice(0, 200);
  return refuse('invalid_request', `${shown || 'The body'} ${message}.`, [{ path: shown, message }]);
};
