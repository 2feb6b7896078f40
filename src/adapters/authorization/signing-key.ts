import { createHash, createPrivateKey, hkdfSync } from 'node:crypto';

/** PKCS #8 of an Ed25519 key, up to its 32 bytes (RFC 8410 section 7). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * The key that the protocol wants to publish, as a JWK: derived from the root key, so that every process has the same one
 * and none is in a file. Tokens are not signed: they are looked up.
 */
export function signingKey(rootKey: Buffer) {
  const seed = Buffer.from(hkdfSync('sha256', rootKey, '', 'stele oauth signing', 32));
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' }).export({
    format: 'jwk',
  });
  const kid = createHash('sha256').update(String(key.x)).digest('base64url').slice(0, 16);
  return { ...key, kid, alg: 'EdDSA', use: 'sig' };
}

/** What signs the cookies that bind a request for consent to the browser it was begun in. */
export const cookieKey = (rootKey: Buffer): string =>
  Buffer.from(hkdfSync('sha256', rootKey, '', 'stele oauth cookies', 32)).toString('base64url');
