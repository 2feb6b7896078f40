import { hash, randomFillSync } from 'node:crypto';
import { type IdPrefix, Ids } from '../kernel/ids.js';

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';

const BYTES = 16;
/**
 * Number of IDs for which random bytes are generated at once, because each call takes longer than building an ID. No
 * byte is used twice.
 */
const IDS_PER_FILL = 256;

/**
 * Generates UUIDv7s without a counter (RFC 9562 section 5.7). The random bits are always new, so that IDs from the same
 * millisecond reveal nothing about each other.
 */
export class RandomIds extends Ids {
  readonly #random = Buffer.alloc(IDS_PER_FILL * BYTES);
  #used = IDS_PER_FILL;

  override make(prefix: IdPrefix) {
    if (this.#used === IDS_PER_FILL) {
      randomFillSync(this.#random);
      this.#used = 0;
    }
    const at = this.#used++ * BYTES;
    makeUuidV7(this.#random, at, Date.now());
    return `${prefix}_${base32(this.#random, at)}`;
  }

  override of(prefix: IdPrefix, name: string) {
    return `${prefix}_${base32(hash('sha256', `${prefix} ${name}`, 'buffer'), 0)}`;
  }
}

/** Turns 16 random bytes into a UUIDv7 in place. */
function makeUuidV7(bytes: Buffer, at: number, milliseconds: number) {
  bytes.writeUIntBE(milliseconds, at, 6);
  bytes[at + 6] = 0x70 | (bytes.readUInt8(at + 6) & 0x0f);
  bytes[at + 8] = 0x80 | (bytes.readUInt8(at + 8) & 0x3f);
}

const CODES = Buffer.from(CROCKFORD);
const digits = Buffer.alloc(26);

/** Encodes 128 bits as 26 digits, most significant first, so that IDs sort in the order of the numbers. */
function base32(bytes: Buffer, from: number): string {
  // The first digit encodes only three bits, all others five.
  for (let bit = -2, digit = 0; digit < digits.length; bit += 5, digit++) {
    const at = from + (bit >> 3);
    const before = bit < 0 ? 0 : (bytes[at] ?? 0);
    const after = bit >= 8 * (BYTES - 1) ? 0 : (bytes[at + 1] ?? 0);
    digits[digit] = CODES[(((before << 8) | after) >> (11 - (bit & 7))) & 31] ?? 0;
  }
  return digits.toString('latin1');
}
