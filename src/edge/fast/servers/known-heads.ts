import type { ResponseHead } from '../../http/proxy/response-head.js';
import { readResponseHead } from './read-response-head.js';

/**
 * Maximum number of heads, after which all are dropped: frequent ones soon return. Together they take at most a
 * megabyte.
 */
const KEPT_UP_TO = 512;
const MAX_HEAD_CHARACTERS = 2_048;

/** Heads for a single visitor are not kept. */
const FOR_ONE = /^set-cookie:/im;

/**
 * Caches parsed heads. Under load most responses of a server begin with a known head, at least within the second of its
 * `date`, and finding one costs a tenth of parsing it (lab note 0107).
 */
export class KnownHeads {
  readonly #heads = new Map<string, ResponseHead>();

  /** Does the same as `readResponseHead`. */
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
