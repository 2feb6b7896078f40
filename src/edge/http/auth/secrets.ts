import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

export type SecretKind = 'edit' | 'session' | 'connector' | 'agent' | 'refresh' | 'pat' | 'upload';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * Makes a secret, which is shown once: `stele_{kind}_`, 256 random bits in 43 base62 digits, and the CRC-32 of all
 * before it in 6, so that secret scanners find leaked ones without false alarms.
 */
export const makeSecret = (kind: SecretKind): string => secretOf(kind, randomBytes(32));

/** The secret of these 32 bytes. */
export function secretOf(kind: SecretKind, bytes: Buffer): string {
  const body = `stele_${kind}_${base62(BigInt(`0x${bytes.toString('hex')}`), 43)}`;
  return body + base62(BigInt(crc32(body)), 6);
}

/** The SHA-256 of a secret in hexadecimal, which is all that is ever stored of it. */
export const hashSecret = (secret: string) => hash('sha256', secret);

function base62(value: bigint, digits: number): string {
  let text = '';
  for (let digit = 0; digit < digits; digit++) {
    text = BASE62.charAt(Number(value % 62n)) + text;
    value /= 62n;
  }
  return text;
}

/** The 32 bytes of a secret that `secretOf` wrote down; null for any other text. */
export function bytesOf(kind: SecretKind, secret: string): Buffer | null {
  const digits = secret.slice(`stele_${kind}_`.length);
  if (!/^[0-9A-Za-z]{49}$/.test(digits)) return null;
  const value = [...digits.slice(0, 43)].reduce((sum, digit) => sum * 62n + BigInt(BASE62.indexOf(digit)), 0n);
  // 43 digits may be a little more than 32 bytes: what is cut off then is missed in the comparison.
  const bytes = Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
  return secretOf(kind, bytes) === secret ? bytes : null;
}
