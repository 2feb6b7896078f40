import { hash } from 'node:crypto';
import { computeNetwork } from '../../../../edge/http/limits/client-address.js';

/**
 * Identifies a visitor by eight bytes. The salt is destroyed after its day, so the hash can't be traced back to a
 * person. It differs between sites and days.
 */
export function visitorHash(salt: Buffer, siteId: string, address: string, userAgent: string): bigint {
  const text = `${siteId}\0${computeNetwork(address)}\0${userAgent}`;
  return hash('sha256', Buffer.concat([salt, Buffer.from(text)]), 'buffer').readBigInt64BE();
}
