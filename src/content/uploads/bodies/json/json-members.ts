import { refuseInvalid } from '../../../../kernel/faults/schema-faults.js';
import { plural } from '../../../../kernel/output/quantities.js';
import type { JsonReader } from './json-reader.js';

/** Maximum size of names and short strings. No valid path, slug or digest is this long. */
const MAX_STRING_BYTES = 4096;

/**
 * Yields the names of an object’s members. Each value must be read before the next name is requested. `field` is the
 * object’s location in the body, for error messages.
 */
export async function* members(json: JsonReader, field: string): AsyncGenerator<string> {
  if ((await json.peek()) !== '{') refuseField(field, 'must be an object');
  await json.expect('{');
  if (await json.empty('}')) return;
  const seen = new Set<string>();
  do {
    const key =
      (await json.shortString(MAX_STRING_BYTES, field)) ??
      refuseField(field, `has a field name longer than ${plural(MAX_STRING_BYTES, 'byte')}`);
    if (seen.has(key)) refuseField(field === '' ? key : `${field}.${key}`, 'appears twice');
    seen.add(key);
    await json.expect(':');
    yield key;
  } while (await json.another('}'));
}

/** Reads a string of up to 4,096 bytes. */
export async function readJsonString(json: JsonReader, field: string): Promise<string> {
  if ((await json.peek()) !== '"') refuseField(field, 'must be a string');
  return (
    (await json.shortString(MAX_STRING_BYTES, field)) ??
    refuseField(field, `must not be longer than ${plural(MAX_STRING_BYTES, 'byte')}`)
  );
}

/** Returns a number, `true`, `false` or `null` exactly as written in the body. */
export async function readJsonNumber(json: JsonReader, field: string): Promise<string> {
  return (await json.bare()) ?? refuseField(field, 'must be a number');
}

/** Throws `invalid_request` for a field. `message` is a predicate ("must be a string"). */
export function refuseField(field: string, message: string): never {
  const path = field
    .toWellFormed()
    .replace(/\p{Control}/gu, '\ufffd')
    .slice(0, 200);
  return refuseInvalid({ path, message });
}
