import { hash } from 'node:crypto';
import { emptyStream, type Head, type RawEvent } from '../../../kernel/event-store.js';
import { chainHash } from '../../../kernel/hashing/chain.js';

/** Revision at which a hash chain is broken, and the reason in one sentence. */
export type Break = { readonly revision: number; readonly detail: string };

/**
 * Checks the hash chain of one stream from its first event and finds the first break. `seen` is the last revision that
 * a read model has processed: the log may continue after it, but must still contain it unchanged.
 */
export class ChainCheck {
  #head: Head = emptyStream;
  #broken: Break | null = null;

  constructor(private readonly seen: Head = emptyStream) {}

  /** Revision and hash of the last event so far. */
  get head(): Head {
    return this.#head;
  }

  /** `isCanonical` says whether actor and data are canonical JSON of an object. */
  next(event: RawEvent, isCanonical: boolean) {
    const detail = this.#faultOf(event, isCanonical);
    if (detail) this.#broken ??= { revision: event.revision, detail };
    this.#head = { revision: event.revision, hash: event.hash };
  }

  /** The first break, or null if the chain is intact. Read it after the last event. */
  get broken(): Break | null {
    if (this.#broken || this.seen.revision <= this.#head.revision) return this.#broken;
    return {
      revision: this.#head.revision + 1,
      detail: `The log ends at revision ${this.#head.revision}, but had revision ${this.seen.revision} before.`,
    };
  }

  #faultOf(event: RawEvent, isCanonical: boolean): string | null {
    const due = this.#head.revision + 1;
    if (event.revision !== due) return `Expected revision ${due} but found revision ${event.revision}.`;
    if (event.previousHash !== this.#head.hash)
      return `Revision ${due} does not contain the hash of the previous revision.`;
    if (!isCanonical) return `The actor or data of revision ${due} is not canonical JSON.`;
    if (event.hash !== chainHash(sha256, this.#head.hash, event))
      return `The hash of revision ${due} does not match its content.`;
    if (due === this.seen.revision && event.hash !== this.seen.hash)
      return `Revision ${due} had a different hash when it was read before.`;
    return null;
  }
}

const sha256 = (text: string) => hash('sha256', text);
