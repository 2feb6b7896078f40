import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { Inject, Injectable } from '@nestjs/common';
import type { Coding } from '../../../kernel/accept-encoding.js';
import { Description } from './description.js';

/** The content codings that the description is served in. */
type MadeCoding = Extract<Coding, 'br' | 'gzip'>;

export const isServed = (coding: Coding): coding is MadeCoding => coding === 'br' || coding === 'gzip';

type ServedCoding = MadeCoding | 'identity';

/** Beyond this quality, Brotli takes ten times as long and saves a few percent. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/**
 * The description as it is sent. It is serialized once, because that takes milliseconds, and compressed once per
 * coding, outside of the event loop.
 */
@Injectable()
export class ServedDescription {
  #plain: { readonly bytes: Buffer; readonly etag: string } | null = null;
  readonly #coded = new Map<ServedCoding, Promise<Buffer>>();

  constructor(@Inject(Description) private readonly description: Description) {}

  /** The ETag is weak because all codings share it. Null while routes are still being declared. */
  read(): { readonly etag: string; readonly in: (coding: ServedCoding) => Promise<Buffer> } | null {
    const document = this.#plain ? null : this.description.read();
    if (document) {
      const bytes = Buffer.from(`${JSON.stringify(document)}\n`);
      this.#plain = { bytes, etag: `W/"${hash('sha256', bytes, 'base64url').slice(0, 22)}"` };
    }
    if (!this.#plain) return null;
    const { bytes, etag } = this.#plain;
    return { etag, in: (coding) => this.#in(coding, bytes) };
  }

  #in(coding: ServedCoding, plain: Buffer): Promise<Buffer> {
    if (coding === 'identity') return Promise.resolve(plain);
    const known = this.#coded.get(coding);
    if (known) return known;
    const made = coding === 'br' ? promisify(brotliCompress)(plain, BROTLI) : promisify(gzip)(plain);
    this.#coded.set(coding, made);
    return made;
  }
}
