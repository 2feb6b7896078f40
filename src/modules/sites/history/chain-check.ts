import { hash } from 'node:crypto';
import { emptyStream, type Head, type RawEvent } from '../../../kernel/event-store.js';
import { chainHash } from '../../../kernel/hashing/chain.js';

/** Where a chain does not hold, and why, in one sentence. */
export type Break = { readonly revision: number; readonly detail: string };

/**
 * Follows one stream from its first event and finds the first place where its chain does not hold. `seen` is where
 * readers of the log last saw this stream: the log may have gone on, but what they saw must still be there.
 */
export class ChainCheck {
  #head: Head = emptyStream;
  #broken: Break | null = null;

  constructor(private readonly seen: Head = emptyStream) {}

  /** Where the events so far stand. */
  get head(): Head {
    return this.#head;
  }

  /** `isCanonical` says whether actor and data are canonical JSON of an object. */
  next(event: RawEvent, isCanonical: boolean) {
    const detail = this.#faultOf(event, isCanonical);
    if (detail) this.#broken ??= { revision: event.revision, detail };
    this.#head = { revision: event.revision, hash: event.hash };
  }

  /** To be asked after the last event; null for a chain that holds. */
  get broken(): Break | null {
    if (this.#broken || this.seen.revision <= this.#head.revision) return this.#broken;
    return {
      revision: this.#head.revision + 1,
      detail: `The log ends at revision ${this.#head.revision}, but revision ${this.seen.revision} has been read before.`,
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
