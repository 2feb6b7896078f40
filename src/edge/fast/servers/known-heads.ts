import type { ResponseHead } from '../../http/proxy/response-head.js';
import { readResponseHead } from './read-response-head.js';

/** Maximum number of heads, which need at most one megabyte. When it is exceeded, all are dropped. */
const KEPT_UP_TO = 512;
const MAX_HEAD_CHARACTERS = 2_048;

/** Matches heads that are meant for a single visitor, which are not cached. */
const FOR_ONE = /^set-cookie:/im;

/**
 * Caches parsed heads. Under load, most of a server's heads are the same within a second. A lookup costs a tenth of
 * parsing (lab note 0107).
 */
export class KnownHeads {
  readonly #heads = new Map<string, ResponseHead>();

  read(text: string, isAnswerToHead: boolean): ResponseHead {
    if (isAnswerToHead) return readResponseHead(text, true);
    const known = this.#heads.get(text);
    if (known !== undefined) return known;
    const head = readResponseHead(text, false);
    if (text.length > MAX_HEAD_CHARACTERS || FOR_ONE.test(text)) return head;
    if (this.#heads.size === KEPT_UP_TO) this.#heads.clear();
    this.#heads.set(text, head);
    return head;
  }
}
