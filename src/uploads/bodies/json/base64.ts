import { refuse } from '../../../kernel/refusal.js';

type Content = Uint8Array | AsyncIterable<Uint8Array>;

/** The bytes that base64 stands for (RFC 4648, section 4; line breaks are passed over). `field` names it in a refusal. */
export function decodedBase64(text: Content, field: string): Content {
  if (!(text instanceof Uint8Array)) return pieces(text, field);
  const decoder = new Base64(field);
  const bytes = decoder.add(text);
  decoder.end();
  return bytes;
}

async function* pieces(text: AsyncIterable<Uint8Array>, field: string): AsyncGenerator<Uint8Array> {
  const decoder = new Base64(field);
  for await (const piece of text) yield decoder.add(piece);
  decoder.end();
}

class Base64 {
  /** Fewer than four digits, which wait for the rest of their group. */
  #open = '';
  #padded = false;

  constructor(private readonly field: string) {}

  add(piece: Uint8Array): Buffer {
    const arrived = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString('latin1');
    const digits = this.#open + arrived.replace(/[\r\n]/g, '');
    const whole = digits.length - (digits.length % 4);
    const groups = digits.slice(0, whole);
    if (groups !== '' && this.#padded) this.#refuse();
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(groups)) this.#refuse();
    this.#padded ||= groups.endsWith('=');
    this.#open = digits.slice(whole);
    return Buffer.from(groups, 'base64');
  }

  end(): void {
    if (this.#open !== '') this.#refuse();
  }

  #refuse(): never {
    const message = 'is not base64 (RFC 4648 section 4)';
    return refuse('invalid_request', `${this.field} ${message}.`, [{ path: this.field, message }]);
  }
}
