import type { AnswerAtHand } from './answer-at-hand.js';

/** What is kept of one second, in bytes. */
const MOST_BYTES = 32 * 1024 * 1024;

/**
 * Answers as they go out, head and body in one piece, with the time in them: made when one is sent for the second time
 * within a second, and forgotten with it. To write one piece costs a fifth less than to put it together each time.
 */
export class ReadyAnswers {
  /** By the text of the head, which has the tag of the body; null for what was sent once. */
  readonly #whole = new Map<string, Buffer | null>();
  readonly #heads = new Map<string, Buffer | null>();
  #room = MOST_BYTES;
  #date = '';

  constructor(
    /** The last fields of each head, and its end. */
    readonly ending: string,
  ) {}

  /** The `Date` field (RFC 9110 section 6.6.1). */
  get date(): string {
    if (this.#date === '') this.#begin();
    return this.#date;
  }

  /** The whole answer, or null where it has to be put together. */
  of({ head, body }: AnswerAtHand): Buffer | null {
    if (this.#date === '') this.#begin();
    const kept = body === null ? this.#heads : this.#whole;
    const known = kept.get(head);
    if (known) return known;
    if (known === undefined) kept.set(head, null);
    else if (head.length + (body?.length ?? 0) <= this.#room) return this.#make(kept, head, body);
    return null;
  }

  #make(kept: Map<string, Buffer | null>, head: string, body: AnswerAtHand['body']): Buffer {
    const before = Buffer.from(head + this.#date + this.ending, 'latin1');
    const after = typeof body === 'string' ? Buffer.from(body, 'latin1') : body;
    const whole = after === null ? before : Buffer.concat([before, after]);
    this.#room -= whole.length;
    kept.set(head, whole);
    return whole;
  }

  #begin() {
    const now = new Date();
    this.#date = `Date: ${now.toUTCString()}\r\n`;
    setTimeout(() => this.#end(), 1_000 - now.getMilliseconds()).unref();
  }

  #end() {
    this.#date = '';
    this.#whole.clear();
    this.#heads.clear();
    this.#room = MOST_BYTES;
  }
}
