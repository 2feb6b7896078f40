import type { Signed } from '../../../accounts/keys/audit-keys.js';
import type { Head, RawEvent } from '../../../kernel/event-store.js';
import { canonical } from '../../../kernel/hashing/canonical.js';
import { type Break, ChainCheck } from './chain-check.js';

/** Characters that go out together. */
const PIECE = 64 * 1024;

type Exported = {
  readonly stream: string;
  readonly pages: AsyncIterable<readonly RawEvent[]>;
  /** Where readers of the log last saw the stream, from before the pages are read. */
  readonly seen: Head;
  readonly sign: (text: string) => Promise<Signed>;
  readonly now: () => string;
  /** Called once, with the first place where the chain does not hold. */
  readonly onBreak: (found: Break) => void;
};

/**
 * A whole history as `docs/audit.md` describes it: a line for each event, oldest first, as it stands in the log, then
 * a signed checkpoint. A chain that does not hold is shown as it is, and ends in a line that says where it broke
 * instead: a signature is only given to what was found whole.
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

/** Canonical JSON of all members; actor and data are spliced in as the texts that were hashed. */
function lineOf({ actor, at, data, hash, id, previousHash, revision, schema, stream, type }: RawEvent): string {
  return (
    `{"actor":${actor},"at":${canonical(at)},"data":${data},"hash":${canonical(hash)},` +
    `"id":${canonical(id)},"previousHash":${canonical(previousHash)},"revision":${canonical(revision)},` +
    `"schema":${canonical(schema)},"stream":${canonical(stream)},"type":${canonical(type)}}`
  );
}

/** Canonical JSON of an object as it is; what was damaged as a string, since it may hold the end of a line, or anything. */
function jsonOf(text: string): string {
  try {
    if (text.startsWith('{') && canonical(JSON.parse(text)) === text) return text;
  } catch {
    // Not JSON, or nested deeper than there is stack.
  }
  return JSON.stringify(text);
}
