import type { Coding } from '../../../edge/http/negotiation/accept-encoding.js';
import type { Validators } from '../conditions/preconditions.js';
import { type Body, formatCodingTag } from '../content/body-cache.js';
import { isCompressible } from '../content/compressible.js';
import type { StoredFile } from '../content/file-bytes.js';

export type ServedFile = {
  readonly siteId: string;
  readonly file: StoredFile;
  readonly status: number;
  /** All headers of the response except those that depend on the bytes of the body. Names are in lower case. */
  readonly headers: Readonly<Record<string, string | number>>;
  /** Modification time in milliseconds since 1970, rounded to a whole second. May be in the future. */
  readonly modifiedAt: number | null;
};

/** Response headers as a list in which names and values alternate. Node.js writes the list unchanged. */
export type HeaderList = string[];

/** Estimated memory in bytes: of a response without its heads, and of each element of a header list. */
const OBJECTS = 1_024;
const ELEMENT = 8;

/** Heads of the responses for a file at a URL. Each head is built once and sent many times. */
export class FileResponse {
  readonly siteId: string;
  /** Called with the size in bytes of a head that has just been built. */
  onGrowth: ((bytes: number) => void) | null = null;
  readonly file: StoredFile;
  readonly status: number;
  readonly type: string | null;
  readonly isNegotiable: boolean;
  readonly #heads = new Map<string, HeaderList>();
  readonly #validators = new Map<Coding | null, Validators>();
  readonly #unchanged = new Map<string, HeaderList>();
  readonly #etag: string;
  readonly #modifiedAt: number | null;
  readonly #always: HeaderList;
  readonly #ranges: HeaderList;
  #bytes: number;

  constructor({ siteId, file, status, headers, modifiedAt }: ServedFile, now = Date.now()) {
    this.siteId = siteId;
    this.file = file;
    this.status = status;
    this.#etag = file.sha256.slice(0, 32);
    this.#modifiedAt = modifiedAt;

    const { vary, 'content-type': type = null, ...rest } = headers;
    this.type = type === null ? null : String(type);
    this.isNegotiable = !('content-encoding' in headers) && isCompressible(this.type ?? '', file.size);
    const varies = this.isNegotiable ? [vary, 'accept-encoding'].filter(Boolean).join(', ') : vary;
    this.#always = Object.entries({ ...rest, ...(varies && { vary: varies }) })
      .flat()
      .map(String);
    // Send a time in the future as the current time (RFC 9110 section 8.8.2.1). Visitors later revalidate their copy.
    const lastModified = modifiedAt === null ? null : new Date(Math.min(modifiedAt, now)).toUTCString();
    this.#ranges = ['accept-ranges', 'bytes', ...(lastModified ? ['last-modified', lastModified] : [])];
    this.#bytes = OBJECTS + this.#always.reduce((sum, text) => sum + text.length, 0);
  }

  /** Estimated memory of the response, including the heads built so far. */
  get bytes() {
    return this.#bytes;
  }

  grow(bytes: number) {
    this.#bytes += bytes;
    this.onGrowth?.(bytes);
  }

  /** Returns the entity tag. `tag` identifies the coding, and is empty for the uncompressed content. */
  etag(tag = ''): string {
    return `"${this.#etag}${tag}"`;
  }

  /**
   * Returns the entity tags and the modification time with which preconditions are compared. They include the entity
   * tag of the uncompressed content, which is sent until the compressed content is available.
   */
  validators(coding: Coding | null): Validators {
    const made = this.#validators.get(coding);
    if (made) return made;
    const tags = coding === null ? [''] : [formatCodingTag(coding, false), formatCodingTag(coding, true), ''];
    const validators = { etags: tags.map((tag) => this.etag(tag)), modifiedAt: this.#modifiedAt };
    this.#validators.set(coding, validators);
    return validators;
  }

  /** Returns the head of a response with a whole body. `body` is null for the uncompressed content. */
  head(body: Body | null): HeaderList {
    const tag = body?.tag ?? '';
    const made = this.#heads.get(tag);
    if (made) return made;
    const head = [...this.#always, 'etag', this.etag(tag), ...this.#ranges, ...contentType(this.type)];
    if (body && body.coding !== null) head.push('content-encoding', body.coding);
    head.push('content-length', String(body?.length ?? this.file.size));
    this.#heads.set(tag, head);
    this.grow(head.length * ELEMENT);
    return head;
  }

  /** Returns the head of a 206 response with parts of the uncompressed content. The caller adds `content-range`. */
  headOfPart(type: string | null, length: number): HeaderList {
    const what = [...contentType(type), 'content-length', String(length)];
    return [...this.#always, 'etag', this.etag(), ...this.#ranges, ...what];
  }

  headOfUnchanged(etag: string): HeaderList {
    const made = this.#unchanged.get(etag);
    if (made) return made;
    const head = [...this.#always, 'etag', etag];
    this.#unchanged.set(etag, head);
    this.grow(head.length * ELEMENT);
    return head;
  }

  /** Returns the head of an error response without content, which must not be cached. */
  headOfRefusal(): HeaderList {
    const always = this.#always.filter((_, at) => this.#always[at - (at % 2)] !== 'cache-control');
    return [...always, 'cache-control', 'no-store', 'content-length', '0'];
  }
}

const contentType = (type: string | null): HeaderList => (type === null ? [] : ['content-type', type]);
