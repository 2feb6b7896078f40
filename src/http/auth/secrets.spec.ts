import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { hashSecret, makeSecret } from './secrets.js';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const numberIn = (digits: string) =>
  [...digits].reduce((value, digit) => value * 62n + BigInt(BASE62.indexOf(digit)), 0n);

describe('A secret that is shown once', () => {
  it.each(['edit', 'session', 'connector'] as const)('begins with its kind:  stele_%s_', (kind) =>
    expect(makeSecret(kind)).toMatch(new RegExp(`^stele_${kind}_[0-9A-Za-z]{49}$`)),
  );

  it('ends in the CRC-32 of all before it, so that a scanner knows it from a lookalike', () => {
    for (let n = 0; n < 200; n++) {
      const secret = makeSecret('edit');
      expect(numberIn(secret.slice(-6))).toBe(BigInt(crc32(secret.slice(0, -6))));
    }
  });

  it('holds 256 random bits', () => {
    const values = Array.from({ length: 2_000 }, () => numberIn(makeSecret('edit').slice('stele_edit_'.length, -6)));
    expect(new Set(values).size).toBe(values.length);
    for (const value of values) expect(value < 1n << 256n).toBe(true);
    // Each bit, the highest and the lowest too, is set about half of the time.
    for (let bit = 0n; bit < 256n; bit++) {
      const share = values.filter((value) => (value >> bit) & 1n).length / values.length;
      expect(Math.abs(share - 0.5)).toBeLessThan(0.1);
    }
  });

  it('is stored as its SHA-256, in 64 hexadecimal digits', () => {
    const secret = makeSecret('edit');
    expect(hashSecret(secret)).toBe(createHash('sha256').update(secret).digest('hex'));
    expect(hashSecret('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  });
});
