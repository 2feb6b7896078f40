import type { ServedRequest } from '../api/served-request.js';

/** Estimated size of a request in memory, without its strings. */
const OBJECTS = 1_024;

/** Maximum number of processed requests that the queue still keeps in memory. */
const LET_GO_AFTER = 256;

/** A queue of requests to record, limited in number and memory. */
export class RequestRing {
  #requests: ServedRequest[] = [];
  #next = 0;
  #bytes = 0;

  constructor(private readonly most: { readonly requests: number; readonly bytes: number }) {}

  get size() {
    return this.#requests.length - this.#next;
  }

  /** Adds a request to the queue. Returns false if the queue is full. */
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
