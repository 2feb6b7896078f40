import type { Coding } from '../../../kernel/accept-encoding.js';
import type { Validators } from '../conditions/preconditions.js';
import { type Body, tagOf } from '../content/body-cache.js';
import { isCompressible } from '../content/compressible.js';
import type { StoredFile } from '../content/file-bytes.js';

/** A file as it is answered at one address. */
export type ServedFile = {
  readonly siteId: string;
  readonly file: StoredFile;
  readonly status: number;
  /** All headers but those that depend on the content's bytes or on how they are sent; names in lower case. */
  readonly headers: Readonly<Record<string, string | number>>;
  /** Milliseconds since 1970, whole seconds; it may lie ahead. */
  readonly modifiedAt: number | null;
};

/** Names and values in turn: Node writes such a list as it is. */
export type HeaderList = string[];

/** Of an answer without its heads, and of a list for each of its elements: guesses, in bytes. */
const OBJECTS = 1_024;
const ELEMENT = 8;

/** The heads of answers with one file at one address, each made once and sent many times. */
export class FileAnswer {
  readonly siteId: string;
  /** Called with the bytes of each head that is made later. */
  onGrowth: ((bytes: number) => void) | null = null;
  readonly file: StoredFile;
  readonly status: number;
  /** Null where the site has unset it. */
  readonly type: string | null;
  /** Whether it is offered compressed. */
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
    this.isNegotiable = isCompressible(this.type ?? '', file.size);
    const varies = this.isNegotiable ? [vary, 'accept-encoding'].filter(Boolean).join(', ') : vary;
    this.#always = Object.entries({ ...rest, ...(varies && { vary: varies }) })
      .flat()
      .map(String);
    // A time ahead is sent as now (RFC 9110 section 8.8.2.1); such a copy is then revalidated.
    const lastModified = modifiedAt === null ? null : new Date(Math.min(modifiedAt, now)).toUTCString();
    this.#ranges = ['accept-ranges', 'bytes', ...(lastModified ? ['last-modified', lastModified] : [])];
    this.#bytes = OBJECTS + this.#always.reduce((sum, text) => sum + text.length, 0);
  }

  /** What it takes of memory, with the heads that were made: an estimate. */
  get bytes() {
    return this.#bytes;
  }

  /** Counts what is kept with a head of it, in bytes. */
  grow(bytes: number) {
    this.#bytes += bytes;
    this.onGrowth?.(bytes);
  }

  /** The entity tag; `tag` says in which coding, empty for the plain bytes. */
  etag(tag = ''): string {
    return `"${this.#etag}${tag}"`;
  }

  /** What a visitor who takes this coding may have: also the plain bytes, which are sent where the coding is not made yet. */
  validators(coding: Coding | null): Validators {
    const made = this.#validators.get(coding);
    if (made) return made;
    const tags = coding === null ? [''] : [tagOf(coding, false), tagOf(coding, true), ''];
    const validators = { etags: tags.map((tag) => this.etag(tag)), modifiedAt: this.#modifiedAt };
    this.#validators.set(coding, validators);
    return validators;
  }

  /** The head of a whole body; of the plain bytes where it is null. */
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

  /** The head of 206, with parts of the plain bytes; `content-range` comes to it. */
  headOfPart(type: string | null, length: number): HeaderList {
    const what = [...contentType(type), 'content-length', String(length)];
    return [...this.#always, 'etag', this.etag(), ...this.#ranges, ...what];
  }

  /** The head of 304, for the body with this entity tag. */
  headOfUnchanged(etag: string): HeaderList {
    const made = this.#unchanged.get(etag);
    if (made) return made;
    const head = [...this.#always, 'etag', etag];
    this.#unchanged.set(etag, head);
    this.grow(head.length * ELEMENT);
    return head;
  }

  /** The head of a refusal without content, which is for this request alone: unlike the file, it may not be kept. */
  headOfRefusal(): HeaderList {
    const always = this.#always.filter((_, at) => this.#always[at - (at % 2)] !== 'cache-control');
    return [...always, 'cache-control', 'no-store', 'content-length', '0'];
  }
}

const contentType = (type: string | null): HeaderList => (type === null ? [] : ['content-type', type]);
