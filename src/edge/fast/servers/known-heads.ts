import type { AnswerHead } from '../../http/proxy/answer-head.js';
import { readAnswerHead } from './read-answer-head.js';

/** So many are kept, then none: what is asked again comes back soon. In all they take a megabyte at most. */
const KEPT_UP_TO = 512;
const LONGEST = 2_048;

/** What is for one visitor alone is not kept. */
const FOR_ONE = /^set-cookie:/im;

/**
 * Heads that were read before. Under load most answers of a program begin with a head that came before to the letter, at
 * least within the second that its `date` names; to find it costs a tenth of reading it (lab note 0107).
 */
export class KnownHeads {
  readonly #heads = new Map<string, AnswerHead>();

  /** As `readAnswerHead` does. */
  read(text: string, isAnswerToHead: boolean): AnswerHead {
    if (isAnswerToHead) return readAnswerHead(text, true);
    const known = this.#heads.get(text);
    if (known !== undefined) return known;
    const head = readAnswerHead(text, false);
    if (text.length > LONGEST || FOR_ONE.test(text)) return head;
    if (this.#heads.size === KEPT_UP_TO) this.#heads.clear();
    this.#heads.set(text, head);
    return head;
  }
}
