import { createPublicKey, hash, verify } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { canonical } from './canonical.mjs';
import { printable } from './entry.mjs';
import { CannotCheck, Fault } from './fault.mjs';

const MAX_BYTES = 256 * 1024;

/** Returns the thumbprint of a public key (RFC 7638, RFC 8037 section 2), which is its `keyId`. */
export const thumbprint = (x) => hash('sha256', canonical({ crv: 'Ed25519', kty: 'OKP', x }), 'base64url');

/**
 * Reads public keys by ID from a file or URL: the response of `/.well-known/stele-audit-key`, one JSON Web Key, or PEM.
 * Throws CannotCheck.
 */
export async function keysFrom(place) {
  const text = /^https?:\/\//i.test(place) ? await fetched(place) : await read(place);
  const keys = new Map();
  for (const { x, retiredAt } of listIn(text, place)) keys.set(thumbprint(x), { x, retiredAt });
  if (keys.size === 0) throw new CannotCheck(`${place} contains no Ed25519 public key.`);
  return keys;
}

/**
 * Checks the signature of a checkpoint line. `trusted` contains the service’s known keys. If it is null, uses the key
 * in the line itself, which only proves that the holder of that key created the line. Throws a Fault.
 */
export function checkSignature({ number, checkpoint, keyId, publicKey, signature }, trusted) {
  if (thumbprint(publicKey.x) !== keyId) throw new Fault(number, '“keyId” is not the thumbprint of “publicKey”.');
  const key = trusted ? trusted.get(keyId) : publicKey;
  if (!key)
    throw new Fault(
      number,
      `The checkpoint is signed with the key ${printable(keyId)}, which is not one of the trusted keys.`,
    );
  if (key.retiredAt && checkpoint.at > key.retiredAt) {
    throw new Fault(number, 'The checkpoint is signed with a key that had already been retired.');
  }
  if (!isSignedBy(key.x, canonical({ checkpoint }), signature)) {
    throw new Fault(number, 'The signature does not match the checkpoint.');
  }
}

function isSignedBy(x, text, signature) {
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    return verify(null, Buffer.from(text, 'utf8'), key, Buffer.from(signature, 'base64url'));
  } catch {
    return false; // The key is invalid, for example because of its length.
  }
}

function listIn(text, place) {
  try {
    if (text.trimStart().startsWith('-----BEGIN'))
      return [createPublicKey(text).export({ format: 'jwk' })].filter(isKey);
    const value = JSON.parse(text);
    return (Array.isArray(value?.keys) ? value.keys : [value]).filter(isKey);
  } catch {
    throw new CannotCheck(`${place} is neither a JSON Web Key (Set) nor PEM.`);
  }
}

const isKey = (key) => key?.kty === 'OKP' && key.crv === 'Ed25519' && typeof key.x === 'string' && key.d === undefined;

async function read(path) {
  try {
    if ((await stat(path)).size > MAX_BYTES) throw new CannotCheck(`${path} is too large to be a key file.`);
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof CannotCheck) throw error;
    throw new CannotCheck(`Could not read ${path} (${error.code}).`);
  }
}

async function fetched(url) {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(10_000) });
    if (!answer.ok) throw new CannotCheck(`${url} responded with status ${answer.status}.`);
    let text = '';
    for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (text.length > MAX_BYTES) throw new CannotCheck(`The response of ${url} is too large to contain keys.`);
    }
    return text;
  } catch (error) {
    if (error instanceof CannotCheck) throw error;
    throw new CannotCheck(`Could not fetch ${url} (${error.cause?.code ?? error.name}).`);
  }
}
