import { createHash, createPrivateKey, hkdfSync } from 'node:crypto';

/** The PKCS #8 header of an Ed25519 key, which its 32 bytes follow (RFC 8410 section 7). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * Returns the signing key that the protocol requires us to publish, as a JWK. It is derived from the root key, so that
 * every process has the same key and none is stored in a file. Tokens are not signed: they are looked up.
 */
export function signingKey(rootKey: Buffer) {
  const seed = Buffer.from(hkdfSync('sha256', rootKey, '', 'stele oauth signing', 32));
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' }).export({
    format: 'jwk',
  });
  const kid = createHash('sha256').update(String(key.x)).digest('base64url').slice(0, 16);
  return { ...key, kid, alg: 'EdDSA', use: 'sig' };
}

/** Returns the key that signs the cookies, which bind a consent request to the browser that started it. */
export const cookieKey = (rootKey: Buffer): string =>
  Buffer.from(hkdfSync('sha256', rootKey, '', 'stele oauth cookies', 32)).toString('base64url');
