import { hash } from 'node:crypto';
import { canonical, MAX_DEPTH } from './canonical.mjs';
import { Fault } from './fault.mjs';

const text = (value) => typeof value === 'string' && value.length > 0;
const count = (value) => Number.isSafeInteger(value) && value > 0;
const sha256 = (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
const object = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const time = (value) => text(value) && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value);

// The exact members of each kind of line. Other members are refused, because no hash or signature would cover them.
const EVENT = {
  actor: object,
  at: time,
  data: object,
  hash: sha256,
  id: text,
  previousHash: (value) => value === null || sha256(value),
  revision: count,
  schema: count,
  stream: text,
  type: text,
};
const CHECKPOINT_LINE = { checkpoint: object, keyId: text, publicKey: object, signature: text };
const CHECKPOINT = { at: time, hash: sha256, revision: count, stream: text };
const PUBLIC_KEY = { crv: (value) => value === 'Ed25519', kty: (value) => value === 'OKP', x: text };
const FAULT = { at: time, detail: text, revision: Number.isSafeInteger, stream: text };

/** Parses a line to { kind: 'event' | 'checkpoint' | 'fault', …members }. Throws a Fault for any other line. */
export function entryOf({ number, text, ended }) {
  const value = parsed(number, text, ended);
  if (!object(value)) throw new Fault(number, 'The line is not a JSON object.');
  if ('checkpoint' in value) {
    check(number, value, CHECKPOINT_LINE, '');
    check(number, value.checkpoint, CHECKPOINT, 'checkpoint.');
    check(number, value.publicKey, PUBLIC_KEY, 'publicKey.');
    return { kind: 'checkpoint', number, ...value };
  }
  if ('fault' in value) {
    check(number, value, { fault: object }, '');
    check(number, value.fault, FAULT, 'fault.');
    return { kind: 'fault', number, ...value.fault };
  }
  check(number, value, EVENT, '');
  return { kind: 'event', number, ...value };
}

/**
 * Returns the hash of an event: SHA-256 of the previous hash, if any, followed by the canonical JSON of the event
 * without its two hashes.
 */
export function hashOf({ kind, number, hash: stated, previousHash, ...form }) {
  return hash('sha256', `${previousHash ?? ''}${canonical(form)}`);
}

/** Parses a line. Accepts only canonical text, so that nothing can be hidden in a line. */
function parsed(number, text, ended) {
  if (depthOf(text) > MAX_DEPTH)
    throw new Fault(number, `The JSON in this line is nested more than ${MAX_DEPTH} levels deep.`);
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Fault(number, ended ? 'The line is not valid JSON.' : 'The file ends in the middle of this line.');
  }
  let same = false;
  try {
    same = canonical(value) === text;
  } catch {
    // A lone surrogate has no canonical text.
  }
  if (!same) throw new Fault(number, 'The line is not canonical JSON (RFC 8785), so it was changed.');
  return value;
}

function depthOf(text) {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (inString && character === '\\') at++;
    else if (character === '"') inString = !inString;
    else if (inString) continue;
    else if (character === '[' || character === '{') deepest = Math.max(deepest, ++depth);
    else if (character === ']' || character === '}') depth--;
  }
  return deepest;
}

function check(number, value, members, prefix) {
  for (const [name, fits] of Object.entries(members)) {
    if (!Object.hasOwn(value, name)) throw new Fault(number, `The line has no “${prefix}${name}”.`);
    if (!fits(value[name])) throw new Fault(number, `“${prefix}${name}” is invalid.`);
  }
  const more = Object.keys(value).find((name) => !Object.hasOwn(members, name));
  if (more !== undefined) {
    throw new Fault(number, `The line has a field ${printable(prefix + more)}, which no hash or signature covers.`);
  }
}

/** Makes text from a file safe to print: short, and without control characters. */
export const printable = (value) => JSON.stringify(value.slice(0, 60)).replace(/[^\x20-\x7e]/g, '?');
