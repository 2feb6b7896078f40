import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/**
 * Purposes of sealed values. A sealed value can be opened only for its own purpose. The purpose `pass` is for access
 * cookies.
 */
type SealPurpose = 'pass' | 'ticket';

/**
 * Seals values that visitors keep, such as access cookies. A sealed value consists of base64url JSON and its
 * HMAC-SHA256. Visitors can read the value, but not forge it.
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

  /**
   * Opens a sealed value. Returns its content, or null if the value was not sealed by this service for this purpose.
   */
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
