import { refuse } from '../../../kernel/refusal.js';
import type { JsonReader } from './json-reader.js';

/** Longer than any path, slug or digest that is taken, in bytes. */
const SHORT = 4096;

/** The names of an object’s members, in turn; each value has to be read before the next is asked for. */
export async function* members(json: JsonReader, field: string): AsyncGenerator<string> {
  if ((await json.peek()) !== '{') wrong(field, 'is not an object');
  await json.expect('{');
  if (await json.empty('}')) return;
  const seen = new Set<string>();
  do {
    const key = (await json.shortString(SHORT)) ?? wrong(field, 'has an endless name in it');
    if (seen.has(key)) wrong(field === '' ? key : `${field}.${key}`, 'is there twice');
    seen.add(key);
    await json.expect(':');
    yield key;
  } while (await json.another('}'));
}

/** A string that is not endless. */
export async function textAt(json: JsonReader, field: string): Promise<string> {
  if ((await json.peek()) !== '"') wrong(field, 'is not a string');
  return (await json.shortString(SHORT)) ?? wrong(field, `is longer than ${SHORT} bytes`);
}

/** A number as it is written; `true`, `false` and `null` too. */
export async function tokenAt(json: JsonReader, field: string): Promise<string> {
  return (await json.bare()) ?? wrong(field, 'is not a number');
}

export function wrong(field: string, message: string): never {
  const shown = field
    .toWellFormed()
    .replace(/\p{Control}/gu, '\ufffd')
    .slice(0, 200);
  return refuse('invalid_request', `${shown || 'The body'} ${message}.`, [{ path: shown, message }]);
}
