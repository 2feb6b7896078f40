import { hash } from 'node:crypto';
import { networkOf } from '../../../../edge/http/limits/client-address.js';

/**
 * Who a visitor is on one site on one day, as eight bytes. Without the salt, which is destroyed after its day, it leads
 * back to no person, and the same visitor is another one on each site and each day.
 */
export function visitorHash(salt: Buffer, siteId: string, address: string, userAgent: string): bigint {
  const text = `${siteId}\0${networkOf(address)}\0${userAgent}`;
  return hash('sha256', Buffer.concat([salt, Buffer.from(text)]), 'buffer').readBigInt64BE();
}
