import { randomFillSync } from 'node:crypto';
import { type IdPrefix, Ids } from '../../kernel/ids.js';

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';

const BYTES = 16;
/** Of random bits that are asked for at once, each of which is used once: to ask for those of one id costs more than the id. */
const AT_ONCE = 256;

/** UUIDv7 with fresh random bits each (RFC 9562 section 5.7, without a counter): ids made in one millisecond tell nothing of each other. */
export class RandomIds extends Ids {
  readonly #random = Buffer.alloc(AT_ONCE * BYTES);
  #used = AT_ONCE;

  override make(prefix: IdPrefix) {
    return `${prefix}_${base32(uuidV7(this.#fresh(), Date.now()))}`;
  }

  #fresh(): Buffer {
    if (this.#used === AT_ONCE) {
      randomFillSync(this.#random);
      this.#used = 0;
    }
    return this.#random.subarray(this.#used * BYTES, ++this.#used * BYTES);
  }
}

/** Of random bytes. */
function uuidV7(bytes: Buffer, milliseconds: number): Buffer {
  bytes.writeUIntBE(milliseconds, 0, 6);
  bytes[6] = 0x70 | (bytes.readUInt8(6) & 0x0f);
  bytes[8] = 0x80 | (bytes.readUInt8(8) & 0x3f);
  return bytes;
}

/** 128 bits in 26 digits, the most significant first, so that the text sorts as the number does. */
function base32(bytes: Buffer): string {
  let text = '';
  // The first digit has three bits: two fewer than the others.
  for (let bit = -2; bit < 8 * BYTES; bit += 5) {
    const at = bit >> 3;
    const two = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
    text += CROCKFORD.charAt((two >> (11 - (bit & 7))) & 31);
  }
  return text;
}
