/**
 * Returns the canonical form of a JSON value (RFC 8785). Omits `undefined` members, as JSON does. Throws a TypeError
 * for values that JSON cannot represent: NaN, infinities, functions, bigints, and lone surrogates (section 3.2.2.2).
 */
export function canonical(value: unknown): string {
  if (typeof value === 'string') return text(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`${value} cannot be written as JSON.`);
    return JSON.stringify(value);
  }
  if (value === null || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!hasMembers(value)) throw new TypeError(`A ${typeof value} cannot be written as JSON.`);

  let members = '';
  for (const key of sorted(Object.keys(value))) {
    if (value[key] !== undefined) members += `${members && ','}${text(key)}:${canonical(value[key])}`;
  }
  return `{${members}}`;
}

const hasMembers = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object';

/**
 * Sorts an object’s keys by UTF-16 code units. Uses insertion sort for few keys, because `sort` takes twice as long.
 */
function sorted(keys: string[]): string[] {
  if (keys.length > 16) return keys.sort();
  for (let next = 1; next < keys.length; next++) {
    const key = keys[next] as string;
    let target = next;
    for (; target > 0 && (keys[target - 1] as string) > key; target--) keys[target] = keys[target - 1] as string;
    keys[target] = key;
  }
  return keys;
}

/**
 * Matches ASCII strings that need no escaping. Most strings match, and quoting them directly is much faster than
 * `JSON.stringify`.
 */
const PLAIN = /^[ !#-[\]-~]*$/;

function text(value: string): string {
  if (PLAIN.test(value)) return `"${value}"`;
  if (!value.isWellFormed()) throw new TypeError('A string with a lone surrogate has no canonical JSON form.');
  return JSON.stringify(value);
}
