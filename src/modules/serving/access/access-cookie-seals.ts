import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** What a seal is for: it is valid for nothing else. `pass` seals an access cookie. */
type SealPurpose = 'pass' | 'ticket';

/**
 * Seals what visitors carry for us: JSON in base64url, and its HMAC-SHA256 under a key derived from the root key. The
 * visitor can read it, and only the service can make it; every process of the service knows the key.
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

  /** What was sealed, in the shape it had; null for anything that was not sealed here for this purpose. */
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
