import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Purposes of encryption. Each purpose has its own key, derived from the secret. */
export type SealPurposeName =
  | 'stele idempotency'
  | 'stele audit key'
  | 'stele mailed link'
  | 'stele sign-in attempt'
  | 'stele root key'
  | 'stele upload ticket'
  | 'stele site secret'
  | 'stele site network';

/**
 * Encrypts a JSON value with AES-256-GCM and a derived key (HKDF, RFC 5869). Returns nonce, tag and ciphertext in one
 * buffer. `bound` identifies the place where the value is stored. Decryption fails unless it is given the same string.
 */
export function seal(purpose: SealPurposeName, secret: string | Buffer, value: unknown, bound = ''): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keyFrom(purpose, secret), nonce).setAAD(Buffer.from(bound));
  const text = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

/** Decrypts a value. Throws if the secret, purpose or `bound` is different, or if any bit was changed. */
export function open(purpose: SealPurposeName, secret: string | Buffer, sealed: Buffer, bound = ''): unknown {
  const decipher = createDecipheriv('aes-256-gcm', keyFrom(purpose, secret), sealed.subarray(0, 12));
  decipher.setAAD(Buffer.from(bound)).setAuthTag(sealed.subarray(12, 28));
  return JSON.parse(Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]).toString('utf8'));
}

/** Returns 16 hexadecimal digits that identify a master key without revealing it. */
export const computeKeyId = (masterKey: Buffer): string =>
  Buffer.from(hkdfSync('sha256', masterKey, '', 'stele key id', 8)).toString('hex');

const keyFrom = (purpose: SealPurposeName, secret: string | Buffer) =>
  Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
