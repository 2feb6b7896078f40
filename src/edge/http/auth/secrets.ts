import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

export type SecretKind = 'edit' | 'session' | 'connector' | 'agent' | 'refresh' | 'pat' | 'upload';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * Generates a secret: `stele_{kind}_`, 256 random bits in 43 base62 digits, and 6 digits of CRC-32, so that scanners
 * can recognize leaked secrets.
 */
export const makeSecret = (kind: SecretKind): string => formatSecret(kind, randomBytes(32));

export function formatSecret(kind: SecretKind, bytes: Buffer): string {
  const body = `stele_${kind}_${base62(BigInt(`0x${bytes.toString('hex')}`), 43)}`;
  return body + base62(BigInt(crc32(body)), 6);
}

/** Returns the SHA-256 hash of a secret in hexadecimal. Only this hash is ever stored. */
export const hashSecret = (secret: string) => hash('sha256', secret);

function base62(value: bigint, digits: number): string {
  let text = '';
  for (let digit = 0; digit < digits; digit++) {
    text = BASE62.charAt(Number(value % 62n)) + text;
    value /= 62n;
  }
  return text;
}

/** Returns the 32 bytes that a secret encodes, or null if the secret is invalid. */
export function parseSecret(kind: SecretKind, secret: string): Buffer | null {
  const digits = secret.slice(`stele_${kind}_`.length);
  if (!/^[0-9A-Za-z]{49}$/.test(digits)) return null;
  const value = [...digits.slice(0, 43)].reduce((sum, digit) => sum * 62n + BigInt(BASE62.indexOf(digit)), 0n);
  // 43 digits can encode numbers that need more than 32 bytes. Formatting the bytes again detects such a secret.
  const bytes = Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
  return formatSecret(kind, bytes) === secret ? bytes : null;
}
