import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** Purpose of a sealed value, which can't be opened for any other purpose. `pass` is for access cookies. */
type SealPurpose = 'pass' | 'ticket';

/**
 * Seals values that visitors store for the service: JSON in base64url followed by its HMAC-SHA256, with a key derived
 * from the root key. Visitors can read a value but not forge it, and every process of the service can verify it.
 */
export class AccessSeals {
  readonly #key: Buffer;

  constructor(rootKey: Buffer) {
    this.#key = Buffer.from(hkdfSync('sha256', rootKey, '', 'stele visitors', 32));
  }

  seal(purpose: SealPurpose, value: object): string {
    const text = Buffer.from(JSON.stringify(value)).toString('base64url');
    return `${text}.${this.#sealOf(purpose, text).toString('base64url')}`;
  }

  /** Returns the original value, or null if it was not sealed by this service for this purpose. */
  open(purpose: SealPurpose, sealed: string): unknown {
    const match = /^([\w-]+)\.([\w-]{43})$/.exec(sealed);
    if (!match) return null;
    const [, text = '', seal = ''] = match;
    if (!timingSafeEqual(Buffer.from(seal, 'base64url'), this.#sealOf(purpose, text))) return null;
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  }

  #sealOf = (purpose: SealPurpose, text: string) =>
    createHmac('sha256', this.#key).update(`${purpose}\n${text}`).digest();
}
