import type { ManifestFile } from '../../../blobs/manifest.js';
import type { Coding } from '../conditions/accept-encoding.js';
import type { Validators } from '../conditions/preconditions.js';
import { type Body, tagOf } from '../content/body-cache.js';
import { isCompressible } from '../content/compressible.js';

/** A file as it is shown at one address. */
export type ShownFile = {
  readonly file: ManifestFile;
  readonly status: number;
  /** All headers but those that depend on the content's bytes and on how they are sent; names in lower case. */
  readonly headers: Readonly<Record<string, string | number>>;
  /** Milliseconds since 1970, whole seconds; it may lie ahead. */
  readonly modifiedAt: number | null;
};

/** Names and values by turns: Node writes such a list as it is. */
export type Head = string[];

/** Heads for one file at one address, each made once and sent many times. */
export class FileAnswer {
  readonly file: ManifestFile;
  readonly status: number;
  /** Null where the site does not want it told. */
  readonly type: string | null;
  readonly isNegotiable: boolean;
  readonly #heads = new Map<string, Head>();
  readonly #validators = new Map<Coding | null, Validators>();
  readonly #unchanged = new Map<string, Head>();
  readonly #etag: string;
  readonly #modifiedAt: number | null;
  readonly #always: Head;
  readonly #told: Head;

  constructor({ file, status, headers, modifiedAt }: ShownFile, now = Date.now()) {
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
    // A time ahead is told as now (RFC 9110 section 8.8.2.1); such a copy is then asked for again.
    const told = modifiedAt === null ? null : new Date(Math.min(modifiedAt, now)).toUTCString();
    this.#told = ['accept-ranges', 'bytes', ...(told ? ['last-modified', told] : [])];
  }

  etag(tag = ''): string {
    return `"${this.#etag}${tag}"`;
  }

  /** A visitor who takes a coding may also have been sent the plain bytes, where nothing else was to be had. */
  validators(coding: Coding | null): Validators {
    const made = this.#validators.get(coding);
    if (made) return made;
    const tags = coding === null ? [''] : [tagOf(coding, false), tagOf(coding, true), ''];
    const validators = { etags: tags.map((tag) => this.etag(tag)), modifiedAt: this.#modifiedAt };
    this.#validators.set(coding, validators);
    return validators;
  }

  /** The head of the whole content; null for the plain bytes. */
  head(body: Body | null): Head {
    const tag = body?.tag ?? '';
    const made = this.#heads.get(tag);
    if (made) return made;
    const head = [...this.#always, 'etag', this.etag(tag), ...this.#told, ...contentType(this.type)];
    if (body && body.coding !== null) head.push('content-encoding', body.coding);
    head.push('content-length', String(body?.length ?? this.file.size));
    this.#heads.set(tag, head);
    return head;
  }

  /** Of an answer about parts of the plain bytes, which says itself what it has. */
  headOfPart(type: string | null, length: number): Head {
    const what = [...contentType(type), 'content-length', String(length)];
    return [...this.#always, 'etag', this.etag(), ...this.#told, ...what];
  }

  /** Of 304, for the one with this tag. */
  headOfUnchanged(etag: string): Head {
    const made = this.#unchanged.get(etag);
    if (made) return made;
    const head = [...this.#always, 'etag', etag];
    this.#unchanged.set(etag, head);
    return head;
  }

  /** Of an answer without content that is for this one request: what the file may be kept for, this may not. */
  headOfRefusal(): Head {
    const always = this.#always.filter((_, at) => this.#always[at - (at % 2)] !== 'cache-control');
    return [...always, 'cache-control', 'no-store', 'content-length', '0'];
  }
}

const contentType = (type: string | null): Head => (type === null ? [] : ['content-type', type]);
