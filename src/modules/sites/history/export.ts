import { hash } from 'node:crypto';
import type { Signed } from '../../../accounts/keys/audit-keys.js';
import { emptyStream, type Head, type RawEvent } from '../../../kernel/event-store.js';
import { canonical } from '../../../kernel/hashing/canonical.js';
import { chainHash } from '../../../kernel/hashing/chain.js';

/** Revision of the first event at which the hash chain is broken, and a sentence that says why. */
type Break = { readonly revision: number; readonly detail: string };

/**
 * Finds the first break in the hash chain of a stream. `seen` is the last revision processed by a read model: the log
 * may have grown since, but must still contain that revision unchanged.
 */
class ChainCheck {
  #head: Head = emptyStream;
  #broken: Break | null = null;

  constructor(private readonly seen: Head = emptyStream) {}

  get head(): Head {
    return this.#head;
  }

  /**
   * Checks the next event of the stream. `isCanonical` states whether its actor and data are JSON objects in canonical
   * form.
   */
  next(event: RawEvent, isCanonical: boolean) {
    const detail = this.#faultOf(event, isCanonical);
    if (detail) this.#broken ??= { revision: event.revision, detail };
    this.#head = { revision: event.revision, hash: event.hash };
  }

  /** First break in the hash chain, or null if it is intact. Valid only after the last event. */
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

const PIECE = 64 * 1024;

type Exported = {
  readonly stream: string;
  readonly pages: AsyncIterable<readonly RawEvent[]>;
  /** Last revision of the stream that the read models had processed before the export began, with its hash. */
  readonly seen: Head;
  readonly sign: (text: string) => Promise<Signed>;
  readonly now: () => string;
  /** Called at most once, with the first break in the chain. */
  readonly onBreak: (found: Break) => void;
};

/**
 * Exports a complete history in the format of `docs/audit.md`: a line for each event as stored in the log, oldest
 * first, then a signed checkpoint. If the chain is broken, its events are exported unchanged, but the last line reports
 * the break instead. Only an intact history is signed.
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

/** Formats an event as canonical JSON. Actor and data are inserted exactly as they were hashed. */
function lineOf({ actor, at, data, hash, id, previousHash, revision, schema, stream, type }: RawEvent): string {
  return (
    `{"actor":${actor},"at":${canonical(at)},"data":${data},"hash":${canonical(hash)},` +
    `"id":${canonical(id)},"previousHash":${canonical(previousHash)},"revision":${canonical(revision)},` +
    `"schema":${canonical(schema)},"stream":${canonical(stream)},"type":${canonical(type)}}`
  );
}

/** Returns canonical JSON unchanged. Encodes damaged data as a JSON string, because it might contain line breaks. */
function jsonOf(text: string): string {
  try {
    if (text.startsWith('{') && canonical(JSON.parse(text)) === text) return text;
  } catch {
    // The stored data is not JSON, or is nested too deeply for the stack.
  }
  return JSON.stringify(text);
}
