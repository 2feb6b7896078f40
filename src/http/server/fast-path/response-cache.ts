import type { LaidOut, LayOut } from '../../../kernel/ports/sendfile.js';
import type { AnswerAtHand } from './cached-response.js';

/** What is kept of one second, in bytes. */
const MOST_BYTES = 32 * 1024 * 1024;

/**
 * From here on it costs less to have the kernel send bytes from where they lie than to hand them to it: at 64 KiB a
 * fifth, at 16 KiB nothing (decision 0053). Laying them out costs as much as some ten requests gain.
 */
const LAID_OUT_FROM = 32 * 1024;
const LAID_OUT_WHEN_ASKED = 16;

/** A whole answer in one piece. */
export type ReadyAnswer = {
  readonly bytes: Buffer;
  /** The same bytes, where they are worth laying out. */
  readonly laidOut: LaidOut | null;
};

/**
 * Answers as they go out, head and body in one piece, with the time in them: made when one is sent for the second time
 * within a second, and forgotten with it. To write one piece costs a fifth less than to put it together each time.
 */
export class ReadyAnswers {
  /** By the text of the head, which has the tag of the body; null for what was sent once. */
  readonly #whole = new Map<string, Ready | null>();
  readonly #heads = new Map<string, Ready | null>();
  #room = MOST_BYTES;
  #date = '';

  constructor(
    /** The last fields of each head, and its end. */
    readonly ending: string,
    private readonly layOut: LayOut,
  ) {}

  /** The `Date` field (RFC 9110 section 6.6.1). */
  get date(): string {
    if (this.#date === '') this.#begin();
    return this.#date;
  }

  /** The whole answer, or null where it has to be put together. */
  of({ head, body }: AnswerAtHand): ReadyAnswer | null {
    if (this.#date === '') this.#begin();
    const kept = body === null ? this.#heads : this.#whole;
    const known = kept.get(head);
    if (known) return this.#askedAgain(known);
    if (known === undefined) kept.set(head, null);
    else if (this.#take(head.length + (body?.length ?? 0))) return this.#make(kept, head, body);
    return null;
  }

  #make(kept: Map<string, Ready | null>, head: string, body: AnswerAtHand['body']): Ready {
    const before = Buffer.from(head + this.#date + this.ending, 'latin1');
    const after = typeof body === 'string' ? Buffer.from(body, 'latin1') : body;
    const ready = new Ready(after === null ? before : Buffer.concat([before, after]));
    kept.set(head, ready);
    return ready;
  }

  #askedAgain(ready: Ready): Ready {
    const { length } = ready.bytes;
    if (++ready.asked === LAID_OUT_WHEN_ASKED && length >= LAID_OUT_FROM && this.#take(length))
      void ready.layOut(this.layOut);
    return ready;
  }

  #take(bytes: number): boolean {
    if (bytes > this.#room) return false;
    this.#room -= bytes;
    return true;
  }

  #begin() {
    const now = new Date();
    this.#date = `Date: ${now.toUTCString()}\r\n`;
    setTimeout(() => this.#end(), 1_000 - now.getMilliseconds()).unref();
  }

  #end() {
    this.#date = '';
    for (const ready of this.#whole.values()) ready?.end();
    this.#whole.clear();
    this.#heads.clear();
    this.#room = MOST_BYTES;
  }
}

class Ready implements ReadyAnswer {
  laidOut: LaidOut | null = null;
  asked = 0;
  #isOver = false;

  constructor(readonly bytes: Buffer) {}

  async layOut(layOut: LayOut) {
    const laidOut = await layOut(this.bytes);
    if (this.#isOver) laidOut?.release();
    else this.laidOut = laidOut;
  }

  end() {
    this.#isOver = true;
    this.laidOut?.release();
  }
}
