import { hash } from 'node:crypto';
import type { Signed } from '../../../accounts/keys/audit-keys.js';
import { emptyStream, type Head, type RawEvent } from '../../../kernel/event-store.js';
import { canonical } from '../../../kernel/hashing/canonical.js';
import { chainHash } from '../../../kernel/hashing/chain.js';

/** Revision at which a hash chain is broken, and the reason in one sentence. */
type Break = { readonly revision: number; readonly detail: string };

/**
 * Checks the hash chain of one stream from its first event and finds the first break. `seen` is the last revision that
 * a read model has processed: the log may continue after it, but must still contain it unchanged.
 */
class ChainCheck {
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

/** Number of characters sent at once. */
const PIECE = 64 * 1024;

type Exported = {
  readonly stream: string;
  readonly pages: AsyncIterable<readonly RawEvent[]>;
  /** The stream’s head as readers of the log last saw it, taken before the pages are read. */
  readonly seen: Head;
  readonly sign: (text: string) => Promise<Signed>;
  readonly now: () => string;
  /** Called once, with the first break in the chain. */
  readonly onBreak: (found: Break) => void;
};

/**
 * Exports a whole history in the format of `docs/audit.md`: one line for each event as the log contains it, oldest
 * first, then a signed checkpoint. A broken chain is exported as it is, but instead of the checkpoint the last line
 * reports the break: only an intact history is signed.
 */
export async function* exported({ stream, pages, seen, sign, now, onBreak }: Exported): AsyncGenerator<string> {
  const check = new ChainCheck(seen);
  let piece = '';
  for await (const page of pages) {
    for (const event of page) {
      const actor = jsonOf(event.actor);
      const data = jsonOf(event.data);
      check.next(event, actor === event.actor && data === event.data);
      piece += `${lineOf({ ...event, actor, data })}\n`;
      if (piece.length < PIECE) continue;
      yield piece;
      piece = '';
    }
  }
  const { broken, head } = check;
  if (broken) {
    onBreak(broken);
    yield `${piece}${canonical({ fault: { ...broken, at: now(), stream } })}\n`;
    return;
  }
  const checkpoint = { stream, ...head, at: now() };
  const { key, signature } = await sign(canonical({ checkpoint }));
  const { kty, crv, x } = key;
  yield `${piece}${canonical({ checkpoint, keyId: key.kid, publicKey: { kty, crv, x }, signature })}\n`;
}

/** Canonical JSON of all members. Actor and data are inserted as the texts that were hashed. */
function lineOf({ actor, at, data, hash, id, previousHash, revision, schema, stream, type }: RawEvent): string {
  return (
    `{"actor":${actor},"at":${canonical(at)},"data":${data},"hash":${canonical(hash)},` +
    `"id":${canonical(id)},"previousHash":${canonical(previousHash)},"revision":${canonical(revision)},` +
    `"schema":${canonical(schema)},"stream":${canonical(stream)},"type":${canonical(type)}}`
  );
}

/**
 * Returns the canonical JSON of an object unchanged. Damaged text becomes a JSON string, since it may contain line
 * breaks.
 */
function jsonOf(text: string): string {
  try {
    if (text.startsWith('{') && canonical(JSON.parse(text)) === text) return text;
  } catch {
    // Not JSON, or nested too deeply for the stack.
  }
  return JSON.stringify(text);
}
