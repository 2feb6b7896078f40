import type { ServedRequest } from '../api/served-request.js';
import type { Effort } from './effort.js';
import type { EntryBudget } from './entry-budget.js';
import { MOST_KEPT_OF_MISSING } from './recorded-path.js';
import type { DroppedRequests } from './tables/access-entries.js';
import type { AccessEntry } from './tables/access-entry.js';
import { dayOf } from './tables/access-partitions.js';
import type { VisitorFields } from './visitor/visitor-fields.js';

type WaitingEntry = { -readonly [Key in keyof AccessEntry]: AccessEntry[Key] };

/** Of a path in a key: beyond it, two are taken for one only where all else is alike too. */
const MOST_OF_URL = 1_024;

/** Entries that are to be written, never more than so many; what is beyond is counted. */
export class WaitingEntries {
  #entries: WaitingEntry[] = [];
  #groups = new Map<string, WaitingEntry>();
  readonly #dropped = new Map<string, Map<number, number>>();
  #second = 0;
  #ofSecond = 0;
  /** Entries that this second may have. With less of them in its middle the share of quiet sites would be gone already. */
  #mostOfSecond = 0;
  /** Entries of this second, by site. */
  readonly #ofSites = new Map<string, number>();

  /** `most` is how many of them wait for the database. `budget` says how many more a site can have today. */
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

  /** Takes a request of a time; `entryOf` makes its entry, where it is to have one. Answers whether it is kept. */
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

  /** Begins a second: what comes now is not counted together with what came before. */
  turn(second: number) {
    if (second === this.#second) return;
    this.#second = second;
    this.#ofSecond = 0;
    this.#mostOfSecond = 0;
    this.#ofSites.clear();
    this.#groups = new Map();
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

  /** A flood of one site leaves a quarter for all others. */
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

/** Requests with the same one differ in nothing that is kept but their times. */
function keyOf({ place, request, status, peer }: ServedRequest, at: number, fields: VisitorFields): string {
  const { siteId, isCounted, isHtml, prefixLength } = place;
  const { method, url } = request;
  const mark = url.indexOf('?');
  const most = status === 404 ? prefixLength + MOST_KEPT_OF_MISSING : MOST_OF_URL;
  const path = url.slice(0, Math.min(mark < 0 ? url.length : mark, most));
  const flags = (isCounted ? 1 : 0) + (isHtml ? 2 : 0) + (fields.objects ? 4 : 0) + (fields.isPrefetch ? 8 : 0);
  const hour = Math.floor(at / 3_600_000);
  return `${siteId} ${status} ${flags} ${hour} ${method} ${path}\n${peer}\n${fields.userAgent}\n${fields.referer}\n${fields.forwardedFor ?? ''}`;
}
