import { hash } from 'node:crypto';
import { computeNetwork } from '../../../../edge/http/limits/client-address.js';

/**
 * Returns the hash that identifies a visitor on a site for one day. It differs between sites and days. The salt is
 * destroyed after its day, so that nobody can find out whose hash it was.
 */
export function visitorHash(salt: Buffer, siteId: string, address: string, userAgent: string): bigint {
  const text = `${siteId}\0${computeNetwork(address)}\0${userAgent}`;
  return hash('sha256', Buffer.concat([salt, Buffer.from(text)]), 'buffer').readBigInt64BE();
}
