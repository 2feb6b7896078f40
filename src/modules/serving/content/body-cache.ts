import type { Coding } from '../../../edge/http/negotiation/accept-encoding.js';

/**
 * Bodies up to this size are kept as strings. Node.js sends the head and body in a single write if they are strings of
 * at most 16 KiB.
 */
const AS_STRING = 14_336;

/** Content in the form in which it is sent: uncompressed or compressed with one coding. */
export class Body {
  /** The bytes to send, as a latin1 string if there are few. Null if the coding does not make the content smaller. */
  readonly bytes: Buffer | string | null;
  readonly length: number;
  /**
   * Suffix that follows the content's digest in the entity tag. Bodies with different bytes have different suffixes.
   */
  readonly tag: string;
  /** Whether the body was sent since it last came up for eviction. */
  wasUsed = false;

  constructor(
    readonly sha256: string,
    readonly coding: Coding | null,
    /**
     * Whether the content was compressed quickly while a visitor waited. If so, a better compressed body replaces it
     * later.
     */
    readonly isQuick: boolean,
    bytes: Buffer | null,
  ) {
    this.length = bytes?.length ?? 0;
    this.tag = coding === null ? '' : formatCodingTag(coding, isQuick);
    this.bytes = bytes && (this.length <= AS_STRING ? bytes.toString('latin1') : bytes);
  }

  get buffer(): Buffer {
    return typeof this.bytes === 'string' ? Buffer.from(this.bytes, 'latin1') : (this.bytes ?? Buffer.alloc(0));
  }
}

export const formatCodingTag = (coding: Coding, isQuick: boolean) => `-${coding}${isQuick ? 'q' : ''}`;

/** Estimated memory overhead of each cached body. */
const OVERHEAD = 512;

/**
 * Cache of recently sent bodies, limited in bytes. Evicts the oldest body, unless it was sent since it last came up for
 * eviction (second-chance page replacement). A hit only sets a flag and takes two thirds of the time that it takes in
 * `lru-cache` (lab note 0056).
 */
export class BodyCache {
  /** Bodies by coding, then by the content's digest. */
  readonly #bodies = new Map<Coding | null, Map<string, Body>>();
  /** Bodies in the order in which they come up for eviction. */
  readonly #order = new Set<Body>();
  #bytes = 0;

  constructor(private readonly capacity: number) {}

  get bytes() {
    return this.#bytes;
  }

  get(sha256: string, coding: Coding | null): Body | undefined {
    return this.#bodies.get(coding)?.get(sha256);
  }

  /** Adds a body, which replaces a body with the same content and coding. Ignores a body larger than the capacity. */
  put(body: Body) {
    const former = this.get(body.sha256, body.coding);
    if (former) this.#drop(former);
    if (weightOf(body) > this.capacity) return;

    const ofCoding = this.#bodies.get(body.coding) ?? new Map<string, Body>();
    this.#bodies.set(body.coding, ofCoding.set(body.sha256, body));
    this.#order.add(body);
    this.#bytes += weightOf(body);
    this.#makeRoom();
  }

  #makeRoom() {
    for (const body of this.#order) {
      if (this.#bytes <= this.capacity) return;
      if (body.wasUsed) {
        body.wasUsed = false;
        this.#order.delete(body);
        this.#order.add(body);
      } else this.#drop(body);
    }
  }

  #drop(body: Body) {
    this.#bodies.get(body.coding)?.delete(body.sha256);
    this.#order.delete(body);
    this.#bytes -= weightOf(body);
  }
}

const weightOf = ({ length }: Body) => length + OVERHEAD;
