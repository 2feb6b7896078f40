import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { formatSecret, hashSecret, makeSecret, parseSecret } from './secrets.js';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const numberIn = (digits: string) =>
  [...digits].reduce((value, digit) => value * 62n + BigInt(BASE62.indexOf(digit)), 0n);

describe('A secret that is shown once', () => {
  it.each(['edit', 'session', 'connector'] as const)('a secret begins with its kind: stele_%s_', (kind) =>
    expect(makeSecret(kind)).toMatch(new RegExp(`^stele_${kind}_[0-9A-Za-z]{49}$`)),
  );

  it('a secret ends with a CRC-32 checksum, so that scanners can recognize it', () => {
    for (let n = 0; n < 200; n++) {
      const secret = makeSecret('edit');
      expect(numberIn(secret.slice(-6))).toBe(BigInt(crc32(secret.slice(0, -6))));
    }
  });

  it('a secret contains 256 random bits', () => {
    const values = Array.from({ length: 2_000 }, () => numberIn(makeSecret('edit').slice('stele_edit_'.length, -6)));
    expect(new Set(values).size).toBe(values.length);
    for (const value of values) expect(value < 1n << 256n).toBe(true);
    // Each bit, including the highest and the lowest, is set about half of the time.
    for (let bit = 0n; bit < 256n; bit++) {
      const share = values.filter((value) => (value >> bit) & 1n).length / values.length;
      expect(Math.abs(share - 0.5)).toBeLessThan(0.1);
    }
  });

  it('a secret is stored as its SHA-256 hash in 64 hexadecimal digits', () => {
    const secret = makeSecret('edit');
    expect(hashSecret(secret)).toBe(createHash('sha256').update(secret).digest('hex'));
    expect(hashSecret('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  });
});

describe('A secret that encodes data', () => {
  const sealed = (body: string) => {
    let [rest, digits] = [BigInt(crc32(body)), ''];
    for (let n = 0; n < 6; n++, rest /= 62n) digits = BASE62.charAt(Number(rest % 62n)) + digits;
    return body + digits;
  };

  it.each([
    ['only zeros', Buffer.alloc(32)],
    ['a leading zero', Buffer.alloc(32, 'a').fill(0, 0, 1)],
    ['the largest value', Buffer.alloc(32, 255)],
  ])('a secret is decoded to the bytes that were encoded: %s', (_, bytes) =>
    expect(parseSecret('upload', formatSecret('upload', bytes))).toEqual(bytes),
  );

  it.each([
    ['is of another kind', formatSecret('session', Buffer.alloc(32))],
    ['ends with an invalid character', `${formatSecret('upload', Buffer.alloc(32)).slice(0, -1)}!`],
    ['has one wrong digit', formatSecret('upload', Buffer.alloc(32)).replace('_0', '_1')],
    ['has an additional digit', `${formatSecret('upload', Buffer.alloc(32))}0`],
    ['encodes more than 32 bytes, even with a valid checksum', sealed(`stele_upload_${'z'.repeat(43)}`)],
    ['is empty', ''],
  ])('a secret is rejected if it %s', (_, text) => expect(parseSecret('upload', text)).toBeNull());
});
