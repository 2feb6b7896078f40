import type { ServedRequest } from '../../../kernel/ports/access-log.js';
import type { DroppedRequests } from '../../../tables/traffic/access-entries.js';
import type { AccessEntry } from '../../../tables/traffic/access-entry.js';
import { dayOf } from '../../../tables/traffic/access-partitions.js';
import type { VisitorFields } from './visitor-fields.js';

/** How much of what is answered is written down. */
export type RecordingLimits = {
  /** Requests of one second that have an entry of their own; beyond, those that are alike share one. */
  readonly alonePerSecond: number;
  /** Entries that one second may have in all. */
  readonly perSecond: number;
  /** Entries that may wait for the database. */
  readonly waiting: number;
};

type Shared = { -readonly [Key in keyof AccessEntry]: AccessEntry[Key] };

/** Of a path in a key: beyond it, two are taken for one only where all else is alike too. */
const MOST_OF_URL = 1_024;

/** Entries that are to be written, never more than so many; what is beyond is counted. */
export class WaitingEntries {
  #entries: Shared[] = [];
  #groups = new Map<string, Shared>();
  readonly #dropped = new Map<string, Map<number, number>>();
  #second = 0;
  #ofSecond = 0;

  constructor(private readonly limits: RecordingLimits) {}

  get size() {
    return this.#entries.length;
  }

  get hasDropped() {
    return this.#dropped.size > 0;
  }

  /** Takes a request; `entryOf` makes its entry, where it is to have one. Answers whether it is kept. */
  add(request: ServedRequest, fields: VisitorFields, now: number, entryOf: () => AccessEntry): boolean {
    const second = Math.floor(now / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#ofSecond = 0;
      this.#groups = new Map();
    }
    if (this.#ofSecond < this.limits.alonePerSecond && this.#hasRoom()) {
      this.#push(entryOf());
      return true;
    }
    const key = keyOf(request, fields);
    const group = this.#groups.get(key);
    if (group) {
      group.ms = (group.ms * group.hits + request.ms) / (group.hits + 1);
      group.hits += 1;
      group.bytes += request.bytes;
      return true;
    }
    if (this.#ofSecond >= this.limits.perSecond || !this.#hasRoom()) {
      this.drop(request.siteId, request.at);
      return false;
    }
    this.#groups.set(Buffer.from(key).toString(), this.#push(entryOf()));
    return true;
  }

  /** Counts a request that is not kept. */
  drop(siteId: string, at: number, hits = 1) {
    const days = this.#dropped.get(siteId) ?? new Map<number, number>();
    this.#dropped.set(siteId, days);
    const day = dayOf(at);
    days.set(day, (days.get(day) ?? 0) + hits);
  }

  /** What is to be written next, `most` entries at most. It waits no more. */
  take(most: number): { readonly entries: readonly AccessEntry[]; readonly dropped: readonly DroppedRequests[] } {
    this.#groups = new Map();
    const entries = this.#entries.splice(0, most);
    const dropped = [...this.#dropped].flatMap(([siteId, days]) =>
      [...days].map(([day, hits]) => ({ siteId, day, hits })),
    );
    this.#dropped.clear();
    return { entries, dropped };
  }

  #hasRoom() {
    return this.#entries.length < this.limits.waiting;
  }

  #push(entry: AccessEntry): Shared {
    this.#ofSecond += 1;
    const shared = { ...entry };
    this.#entries.push(shared);
    return shared;
  }
}

/** Requests with the same one differ in nothing that is kept but their times. */
function keyOf(request: ServedRequest, fields: VisitorFields): string {
  const { siteId, isCounted, at, method, url, status, isHtml, peer } = request;
  const mark = url.indexOf('?');
  const path = url.slice(0, Math.min(mark < 0 ? url.length : mark, MOST_OF_URL));
  const flags = (isCounted ? 1 : 0) + (isHtml ? 2 : 0) + (fields.objects ? 4 : 0) + (fields.isPrefetch ? 8 : 0);
  const hour = Math.floor(at / 3_600_000);
  return `${siteId} ${status} ${flags} ${hour} ${method} ${path}\n${peer}\n${fields.userAgent}\n${fields.referer}\n${fields.forwardedFor}`;
}
