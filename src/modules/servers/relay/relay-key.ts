import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/**
 * Signs and verifies the first line that one process of the service sends to another. All processes of the service
 * share the key, so a valid signature proves that the line comes from one of them.
 */
export class RelayKey {
  readonly #key: Buffer;

  constructor(rootKey: Buffer) {
    this.#key = Buffer.from(hkdfSync('sha256', rootKey, '', 'stele server relay', 32));
  }

  sign(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url');
  }

  isSigned(text: string, signature: string): boolean {
    const [right, given] = [Buffer.from(this.sign(text)), Buffer.from(signature)];
    return right.length === given.length && timingSafeEqual(right, given);
  }
}
