import { randomFillSync } from 'node:crypto';
import { type IdPrefix, Ids } from '../kernel/ids.js';

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';

/** UUIDv7 with fresh random bits each (RFC 9562 section 5.7, without a counter): ids made in one millisecond tell nothing of each other. */
export class RandomIds extends Ids {
  override make(prefix: IdPrefix) {
    return `${prefix}_${base32(uuidV7(Date.now()))}`;
  }
}

function uuidV7(milliseconds: number): bigint {
  const bytes = randomFillSync(Buffer.alloc(16));
  bytes.writeUIntBE(milliseconds, 0, 6);
  bytes[6] = 0x70 | (bytes.readUInt8(6) & 0x0f);
  bytes[8] = 0x80 | (bytes.readUInt8(8) & 0x3f);
  return (bytes.readBigUInt64BE(0) << 64n) | bytes.readBigUInt64BE(8);
}

/** 128 bits in 26 digits, the most significant first, so that the text sorts as the number does. */
function base32(value: bigint): string {
  let text = '';
  for (let digit = 0; digit < 26; digit++) {
    text = CROCKFORD.charAt(Number(value & 31n)) + text;
    value >>= 5n;
  }
  return text;
}
