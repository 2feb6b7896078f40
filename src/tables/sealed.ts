import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/**
 * Seals a JSON value so that only who knows the secret can read it: AES-256-GCM with a key derived from the secret
 * (HKDF, RFC 5869). Nonce, tag and text in one buffer.
 */
export function seal(secret: string, value: unknown): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keyFrom(secret), nonce);
  const text = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

/** Throws for another secret, or when a bit was changed. */
export function open(secret: string, sealed: Buffer): unknown {
  const decipher = createDecipheriv('aes-256-gcm', keyFrom(secret), sealed.subarray(0, 12));
  decipher.setAuthTag(sealed.subarray(12, 28));
  return JSON.parse(Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]).toString('utf8'));
}

const keyFrom = (secret: string) => Buffer.from(hkdfSync('sha256', secret, '', 'stele idempotency', 32));
