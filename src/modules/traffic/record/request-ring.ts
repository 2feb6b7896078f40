import type { ServedRequest } from '../api/served-request.js';

/** Of a request beside its texts: a guess, in bytes. */
const OBJECTS = 1_024;

/** Requests that were looked at and are still held, at most. */
const LET_GO_AFTER = 256;

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
  push(served: ServedRequest): boolean {
    const bytes = served.request.bytes + OBJECTS;
    if (this.size >= this.most.requests || this.#bytes + bytes > this.most.bytes) return false;
    this.#bytes += bytes;
    this.#requests.push(served);
    return true;
  }

  first(): ServedRequest | undefined {
    return this.#requests[this.#next];
  }

  /** Lets go of the first. */
  shift() {
    const served = this.first();
    if (served === undefined) return;
    this.#bytes -= served.request.bytes + OBJECTS;
    this.#next += 1;
    if (this.size > 0 && this.#next < LET_GO_AFTER) return;
    this.#requests = this.#requests.slice(this.#next);
    this.#next = 0;
  }
}
