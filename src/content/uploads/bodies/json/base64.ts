import { refuseInvalid } from '../../../../kernel/faults/schema-faults.js';

type DecodedContent = Uint8Array | AsyncIterable<Uint8Array>;

/** Decodes base64 (RFC 4648 section 4), ignoring line breaks. Refuses with `invalid_request`, naming `field`. */
export function decodedBase64(text: DecodedContent, field: string): DecodedContent {
  if (!(text instanceof Uint8Array)) return decodedChunks(text, field);
  const decoder = new Base64(field);
  const bytes = decoder.add(text);
  decoder.end();
  return bytes;
}

async function* decodedChunks(text: AsyncIterable<Uint8Array>, field: string): AsyncGenerator<Uint8Array> {
  const decoder = new Base64(field);
  for await (const chunk of text) yield decoder.add(chunk);
  decoder.end();
}

class Base64 {
  /** Up to three digits of an incomplete group. */
  #pending = '';
  #padded = false;

  constructor(private readonly field: string) {}

  add(chunk: Uint8Array): Buffer {
    const arrived = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1');
    const digits = this.#pending + arrived.replace(/[\r\n]/g, '');
    const whole = digits.length - (digits.length % 4);
    const groups = digits.slice(0, whole);
    if (groups !== '' && this.#padded) this.#refuse();
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(groups)) this.#refuse();
    this.#padded ||= groups.endsWith('=');
    this.#pending = digits.slice(whole);
    return Buffer.from(groups, 'base64');
  }

  end(): void {
    if (this.#pending !== '') this.#refuse();
  }

  #refuse(): never {
    return refuseInvalid({ path: this.field, message: 'must be base64 (RFC 4648, section 4)' });
  }
}
