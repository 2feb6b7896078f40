import type { ServedRequest } from '../../../kernel/ports/access-log.js';

/** Of a request beside its texts: a guess, in bytes. */
const OBJECTS = 1_024;

/** Requests as they came, in their order, never more than so many and so much memory. */
export class RequestRing {
  #requests: ServedRequest[] = [];
  #next = 0;
  #bytes = 0;

  constructor(private readonly most: { readonly requests: number; readonly bytes: number }) {}

  get size() {
    return this.#requests.length - this.#next;
  }

  /** False where there is no room for it. */
  push(request: ServedRequest): boolean {
    const bytes = request.heldBytes + OBJECTS;
    if (this.size >= this.most.requests || this.#bytes + bytes > this.most.bytes) return false;
    this.#bytes += bytes;
    this.#requests.push(request);
    return true;
  }

  first(): ServedRequest | undefined {
    return this.#requests[this.#next];
  }

  /** Lets go of the first. */
  shift() {
    const request = this.first();
    if (request === undefined) return;
    this.#bytes -= request.heldBytes + OBJECTS;
    this.#next += 1;
    if (this.#next === this.#requests.length) {
      this.#requests = [];
      this.#next = 0;
    } else if (this.#next === COMPACT_AT) {
      this.#requests = this.#requests.slice(this.#next);
      this.#next = 0;
    }
  }
}

/** Requests that were looked at and are still held, at most. */
const COMPACT_AT = 256;
