import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** What a seal is for: it serves for nothing else. */
type Purpose = 'pass' | 'ticket';

/**
 * Seals of what visitors carry for us: JSON in base64url, and HMAC-SHA256 of it under a key derived from the root
 * key. It can be read by whoever has it, and made by nobody else; every process of the service knows it.
 */
export class VisitorSeals {
  readonly #key: Buffer;

  constructor(rootKey: Buffer) {
    this.#key = Buffer.from(hkdfSync('sha256', rootKey, '', 'stele visitors', 32));
  }

  seal(purpose: Purpose, value: object): string {
    const text = Buffer.from(JSON.stringify(value)).toString('base64url');
    return `${text}.${this.#sealOf(purpose, text).toString('base64url')}`;
  }

  /** What was sealed, in the shape it had; null for anything that was not sealed here for this purpose. */
  open(purpose: Purpose, sealed: string): unknown {
    const match = /^([\w-]+)\.([\w-]{43})$/.exec(sealed);
    if (!match) return null;
    const [, text = '', seal = ''] = match;
    if (!timingSafeEqual(Buffer.from(seal, 'base64url'), this.#sealOf(purpose, text))) return null;
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  }

  #sealOf = (purpose: Purpose, text: string) => createHmac('sha256', this.#key).update(`${purpose}\n${text}`).digest();
}
