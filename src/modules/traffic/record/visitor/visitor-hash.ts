import { hash } from 'node:crypto';
import { computeNetwork } from '../../../../edge/http/limits/client-address.js';

/**
 * Identifies a visitor on one site on one day, as eight bytes. The salt is destroyed after its day, so the hash cannot
 * be traced to a person. It differs for each site and each day.
 */
export function visitorHash(salt: Buffer, siteId: string, address: string, userAgent: string): bigint {
  const text = `${siteId}\0${computeNetwork(address)}\0${userAgent}`;
  return hash('sha256', Buffer.concat([salt, Buffer.from(text)]), 'buffer').readBigInt64BE();
}
