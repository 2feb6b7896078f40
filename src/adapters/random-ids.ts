import { randomFillSync } from 'node:crypto';
import { type IdPrefix, Ids } from '../kernel/ids.js';

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';

const BYTES = 16;
/**
 * How many ids one call for random bytes serves; each byte is used once. A call for each id would cost more than making
 * the id.
 */
const IDS_PER_FILL = 256;

/**
 * Makes ids of 26 base32 digits after a prefix: a UUIDv7 without a counter (RFC 9562 section 5.7), with new random bits
 * each time, so that ids made in the same millisecond reveal nothing about each other.
 */
export class RandomIds extends Ids {
  readonly #random = Buffer.alloc(IDS_PER_FILL * BYTES);
  #used = IDS_PER_FILL;

  override make(prefix: IdPrefix) {
    return `${prefix}_${base32(uuidV7(this.#randomBytes(), Date.now()))}`;
  }

  #randomBytes(): Buffer {
    if (this.#used === IDS_PER_FILL) {
      randomFillSync(this.#random);
      this.#used = 0;
    }
    return this.#random.subarray(this.#used * BYTES, ++this.#used * BYTES);
  }
}

/** A UUIDv7 made of 16 random bytes, which are overwritten. */
function uuidV7(bytes: Buffer, milliseconds: number): Buffer {
  bytes.writeUIntBE(milliseconds, 0, 6);
  bytes[6] = 0x70 | (bytes.readUInt8(6) & 0x0f);
  bytes[8] = 0x80 | (bytes.readUInt8(8) & 0x3f);
  return bytes;
}

/** 128 bits in 26 digits, the most significant first, so that texts sort as the numbers do. */
function base32(bytes: Buffer): string {
  let text = '';
  // The first digit has three bits, two fewer than the others.
  for (let bit = -2; bit < 8 * BYTES; bit += 5) {
    const at = bit >> 3;
    const two = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
    text += CROCKFORD.charAt((two >> (11 - (bit & 7))) & 31);
  }
  return text;
}
