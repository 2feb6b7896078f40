import type { ServedRequest } from '../api/served-request.js';
import type { Effort } from './effort.js';
import type { EntryBudget } from './entry-budget.js';
import { MAX_MISSING_PATH_CHARACTERS } from './recorded-path.js';
import type { DroppedRequests } from './tables/access-entries.js';
import type { AccessEntry } from './tables/access-entry.js';
import { computeDayNumber } from './tables/access-partitions.js';
import type { VisitorFields } from './visitor/visitor-fields.js';

type WaitingEntry = { -readonly [Key in keyof AccessEntry]: AccessEntry[Key] };

/** Number of leading characters in which two URLs must match for their requests to share an entry. */
const MAX_URL_CHARACTERS = 1_024;

/** A limited queue of log entries to write. Requests beyond the limit are only counted. */
export class WaitingEntries {
  #entries: WaitingEntry[] = [];
  #groups = new Map<string, WaitingEntry>();
  readonly #dropped = new Map<string, Map<number, number>>();
  #second = 0;
  #ofSecond = 0;
  /**
   * Highest limit on the number of entries that applied during the current second. If the limit is lowered, the change
   * takes effect in the next second, so that sites with few visitors get entries too.
   */
  #mostOfSecond = 0;
  /** Number of entries in the current second, by site. */
  readonly #ofSites = new Map<string, number>();

  /** `most` is the maximum number of waiting entries. `budget` limits the entries per site and day. */
  constructor(
    private readonly most: number,
    private readonly budget: Pick<EntryBudget, 'isSpent' | 'spend'>,
  ) {}

  get size() {
    return this.#entries.length;
  }

  get hasDropped() {
    return this.#dropped.size > 0;
  }

  /**
   * Adds a request to an entry. Calls `entryOf` if it needs a new entry. Returns false if a limit is reached, so that
   * the request is not recorded.
   */
  add(
    served: ServedRequest,
    at: number,
    fields: VisitorFields,
    { alonePerSecond, entriesPerSecond }: Effort,
    entryOf: () => AccessEntry,
  ): boolean {
    const { place } = served;
    this.#mostOfSecond = Math.max(this.#mostOfSecond, entriesPerSecond);
    if (this.#ofSecond < alonePerSecond && this.#hasRoom(place.siteId)) {
      this.#push(entryOf());
      return true;
    }
    const key = keyOf(served, at, fields);
    const group = this.#groups.get(key);
    if (group) {
      group.ms = (group.ms * group.hits + served.ms) / (group.hits + 1);
      group.hits += 1;
      group.bytes += served.bytes;
      return true;
    }
    if (!this.#hasRoom(place.siteId)) {
      this.drop(place.siteId, at);
      return false;
    }
    this.#groups.set(Buffer.from(key).toString(), this.#push(entryOf()));
    return true;
  }

  /** Starts a new second. Its requests do not share entries with those of earlier seconds. */
  turn(second: number) {
    if (second === this.#second) return;
    this.#second = second;
    this.#ofSecond = 0;
    this.#mostOfSecond = 0;
    this.#ofSites.clear();
    this.#groups = new Map();
  }

  drop(siteId: string, at: number, hits = 1) {
    const days = this.#dropped.get(siteId) ?? new Map<number, number>();
    this.#dropped.set(siteId, days);
    const day = computeDayNumber(at);
    days.set(day, (days.get(day) ?? 0) + hits);
  }

  take(most: number): { readonly entries: readonly AccessEntry[]; readonly dropped: readonly DroppedRequests[] } {
    this.#groups = new Map();
    const entries = this.#entries.splice(0, most);
    const dropped = [...this.#dropped].flatMap(([siteId, days]) =>
      [...days].map(([day, hits]) => ({ siteId, day, hits })),
    );
    this.#dropped.clear();
    return { entries, dropped };
  }

  /**
   * Reports whether another entry of the site can be added. Even during a flood on one site, a quarter of the entries
   * is left to other sites.
   */
  #hasRoom(siteId: string) {
    const left = this.#mostOfSecond - this.#ofSecond;
    if (left * 3 <= (this.#ofSites.get(siteId) ?? 0) || this.#entries.length >= this.most) return false;
    return !this.budget.isSpent(siteId);
  }

  #push(entry: AccessEntry): WaitingEntry {
    this.#ofSecond += 1;
    this.#ofSites.set(entry.siteId, (this.#ofSites.get(entry.siteId) ?? 0) + 1);
    this.budget.spend(entry);
    const shared = { ...entry };
    this.#entries.push(shared);
    return shared;
  }
}

/**
 * Returns a key for grouping requests. Requests have the same key if their entries would differ only in their times.
 */
function keyOf({ place, request, status, peer }: ServedRequest, at: number, fields: VisitorFields): string {
  const { siteId, isCounted, isHtml, prefixLength } = place;
  const { method, url } = request;
  const mark = url.indexOf('?');
  const most = status === 404 ? prefixLength + MAX_MISSING_PATH_CHARACTERS : MAX_URL_CHARACTERS;
  const path = url.slice(0, Math.min(mark < 0 ? url.length : mark, most));
  const flags = (isCounted ? 1 : 0) + (isHtml ? 2 : 0) + (fields.objects ? 4 : 0) + (fields.isPrefetch ? 8 : 0);
  const hour = Math.floor(at / 3_600_000);
  return `${siteId} ${status} ${flags} ${hour} ${method} ${path}\n${peer}\n${fields.userAgent}\n${fields.referer}\n${fields.forwardedFor ?? ''}`;
}
