import { hkdfSync } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { sameDigest } from '../../../../kernel/command-context.js';
import { formatSecret, hashSecret } from '../secrets.js';

/** The edit token of the sites that the service publishes to test itself. Each process derives it from the root key. */
export class ProbeToken {
  readonly token: string;
  readonly hash: string;

  constructor(rootKey: Buffer) {
    this.token = formatSecret('edit', Buffer.from(hkdfSync('sha256', rootKey, '', 'stele probe', 32)));
    this.hash = hashSecret(this.token);
  }

  /** Reports whether the service itself sent this request. */
  isSentWith({ editTokenHash }: Pick<FastifyRequest, 'editTokenHash'>): boolean {
    return editTokenHash !== null && sameDigest(editTokenHash, this.hash);
  }
}
