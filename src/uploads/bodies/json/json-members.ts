import { refuse } from '../../../kernel/refusal.js';
import type { JsonReader } from './json-reader.js';

/** The most bytes in a member’s name or a short string: longer than any path, slug or digest that is accepted. */
const MAX_STRING_BYTES = 4096;

/**
 * The names of an object’s members, in turn. Each value has to be read before the next name is asked for. `field` is
 * the object’s place in the body, for messages.
 */
export async function* members(json: JsonReader, field: string): AsyncGenerator<string> {
  if ((await json.peek()) !== '{') refuseField(field, 'is not an object');
  await json.expect('{');
  if (await json.empty('}')) return;
  const seen = new Set<string>();
  do {
    const key = (await json.shortString(MAX_STRING_BYTES)) ?? refuseField(field, 'has an endless name in it');
    if (seen.has(key)) refuseField(field === '' ? key : `${field}.${key}`, 'is there twice');
    seen.add(key);
    await json.expect(':');
    yield key;
  } while (await json.another('}'));
}

/** Reads a string of at most 4,096 bytes. */
export async function textAt(json: JsonReader, field: string): Promise<string> {
  if ((await json.peek()) !== '"') refuseField(field, 'is not a string');
  return (await json.shortString(MAX_STRING_BYTES)) ?? refuseField(field, `is longer than ${MAX_STRING_BYTES} bytes`);
}

/** Reads a number as it is written; also `true`, `false` and `null`. */
export async function tokenAt(json: JsonReader, field: string): Promise<string> {
  return (await json.bare()) ?? refuseField(field, 'is not a number');
}

/** Refuses with `invalid_request`, naming a field; `message` completes “{field} …”. */
export function refuseField(field: string, message: string): never {
  const printable = field
    .toWellFormed()
    .replace(/\p{Control}/gu, '\ufffd')
    .slice(0, 200);
  return refuse('invalid_request', `${printable || 'The body'} ${message}.`, [{ path: printable, message }]);
}
