import type { Coding } from '../../../kernel/accept-encoding.js';

/**
 * Up to this size a body is kept as a string of its bytes: Node then writes head and body in one piece, which is a tenth
 * faster than two (1 KiB, one core), as long as both together have 16 KiB at most. Bytes.
 */
const AS_STRING = 14_336;

/** A content as it is sent, in one coding or plain. */
export class Body {
  /** Its bytes, a string where they are few, in latin1; null where the coding makes the content no smaller. */
  readonly bytes: Buffer | string | null;
  /** Of the bytes; 0 where they are null. */
  readonly length: number;
  /** What follows the content's digest in the entity tag: another for each sequence of bytes. */
  readonly tag: string;
  /** Whether it was sent since room was last made. */
  wasUsed = false;

  constructor(
    readonly sha256: string,
    readonly coding: Coding | null,
    /** Made while a visitor waited: a smaller one takes its place later. */
    readonly isQuick: boolean,
    bytes: Buffer | null,
  ) {
    this.length = bytes?.length ?? 0;
    this.tag = coding === null ? '' : tagOf(coding, isQuick);
    this.bytes = bytes && (this.length <= AS_STRING ? bytes.toString('latin1') : bytes);
  }

  get buffer(): Buffer {
    return typeof this.bytes === 'string' ? Buffer.from(this.bytes, 'latin1') : (this.bytes ?? Buffer.alloc(0));
  }
}

/** The end of an entity tag: `-br`, or `-brq` for the quick one. */
export const tagOf = (coding: Coding, isQuick: boolean) => `-${coding}${isQuick ? 'q' : ''}`;

/** What each body costs besides its bytes: keys, objects, heads. A guess, in bytes. */
const OVERHEAD = 512;

/**
 * Bodies that were sent lately, up to so many bytes. The oldest is dropped first, unless it was sent since it was last
 * considered: then it has another turn (the “second chance” of page caches, which costs a hit nothing but a flag). Ours,
 * and not `lru-cache`, as each request asks it: a hit takes two thirds of the time (lab note 0056).
 */
export class BodyCache {
  /** By coding, then by the content's digest. */
  readonly #bodies = new Map<Coding | null, Map<string, Body>>();
  /** The one to consider next comes first. */
  readonly #order = new Set<Body>();
  #bytes = 0;

  constructor(private readonly capacity: number) {}

  /** What all bodies in it cost, in bytes. */
  get bytes() {
    return this.#bytes;
  }

  get(sha256: string, coding: Coding | null): Body | undefined {
    return this.#bodies.get(coding)?.get(sha256);
  }

  /** Replaces the body of this content and coding, if there is one. One that is larger than all the room is not kept. */
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
