import { hash } from 'node:crypto';
import type { AccessEntry } from '../../../src/modules/traffic/record/tables/access-entry.js';
import { seeded } from '../events/random-history.js';
import { entryOf } from './entries.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A request, and the person who sent it. Other analytics tools recognize a person by address and user agent. */
export type KnownRequest = { readonly entry: AccessEntry; readonly person: string };

/**
 * The statistics that the service must report for the log. They are added up while the log is generated, independently
 * of how the service counts.
 */
export type Answers = {
  /** Totals by day. The key is the start of the day, in milliseconds since 1970. */
  readonly days: Map<number, { visits: number; visitors: number; pageviews: number; bytes: number }>;
  readonly pageviews: Map<string, number>;
  /** Sum over all days of the number of different people who viewed a page that day. */
  readonly pageVisitors: Map<string, number>;
  readonly entries: Map<string, number>;
  readonly referrers: Map<string, number>;
  readonly missing: Map<string, number>;
  readonly statuses: Map<string, number>;
  robots: number;
  /** Number of pageviews of people who opt out of tracking. */
  untracked: number;
};

export const add = <Key>(counts: Map<Key, number>, key: Key, more = 1) =>
  counts.set(key, (counts.get(key) ?? 0) + more);

/**
 * Returns the ID of the visitor who sent a request. A person's ID is different each day, like an ID with a daily salt.
 */
const visitorOf = (person: string, at: number) =>
  hash('sha256', `${Math.floor(at / DAY_MS)} ${person}`, 'buffer').readBigInt64BE(0);

const PAGES = Array.from({ length: 60 }, (_, n) => (n === 0 ? '/' : `/page-${n}`));
const REFERRERS = [null, null, 'search.example', 'news.example', 'friend.example'];

/**
 * A log of one site with known statistics: about 50,000 requests in five days. People visit one to three times a day,
 * view pages (some of them twice) and load images. Some people opt out of tracking, some requests find no page, and
 * some come from robots. Nobody visits at night or pauses for eight hours on a day, except the people that `crossings`
 * and `returns` add.
 */
export class KnownLog {
  readonly requests: KnownRequest[] = [];
  readonly answers: Answers = {
    days: new Map(),
    pageviews: new Map(),
    pageVisitors: new Map(),
    entries: new Map(),
    referrers: new Map(),
    missing: new Map(),
    statuses: new Map(),
    robots: 0,
    untracked: 0,
  };
  readonly #random;

  constructor(
    seed: number,
    readonly first: number,
    readonly length = 5,
    peopleADay = 760,
  ) {
    this.#random = seeded(seed);
    for (let day = first; day < first + length * DAY_MS; day += DAY_MS) {
      for (let n = 0; n < peopleADay; n++)
        this.#dayOf(`person ${this.#random(peopleADay * 3)} of ${n}`, day, n % 16 === 0);
      for (let n = 0; n < 900; n++) this.#robot(day);
      for (let n = 0; n < 200; n++) this.#lost(day);
    }
  }

  /** Adds people who visit a page shortly before midnight and reload it shortly after. */
  crossings(day: number, people: number, page: string) {
    for (let n = 0; n < people; n++) {
      const person = `night owl ${n}`;
      for (const at of [day + DAY_MS - 5 * MINUTE_MS, day + DAY_MS + 5 * MINUTE_MS]) {
        this.#view(person, at + n, page, null);
        this.#begun(at, page, null);
        this.#known(at, [page]);
      }
    }
  }

  /** Adds people who visit a page early in the day, and again after more than eight hours. */
  returns(day: number, people: number, page: string) {
    for (let n = 0; n < people; n++) {
      const person = `early bird ${n}`;
      for (const hour of [2, 21]) {
        this.#view(person, day + hour * HOUR_MS + n, page, null);
        this.#begun(day, page, null);
      }
      this.#known(day, [page]);
    }
  }

  get inOrder(): readonly KnownRequest[] {
    return this.requests.toSorted((one, other) => one.entry.at - other.entry.at);
  }

  #dayOf(person: string, day: number, objects: boolean) {
    const pages = new Set<string>();
    let at = day + 8 * HOUR_MS + this.#random(180 * MINUTE_MS);
    const visits = 1 + this.#random(3);
    for (let visit = 0; visit < visits; visit++) {
      const referrer = REFERRERS[this.#random(REFERRERS.length)] ?? null;
      for (let view = 0, views = 1 + this.#random(5); view < views; view++) {
        const page = PAGES[Math.floor((this.#random(60) * this.#random(60)) / 60)] ?? '/';
        this.#view(person, at, page, view === 0 ? referrer : null, objects);
        if (view === 0 && !objects) this.#begun(day, page, referrer);
        pages.add(page);
        // A pause of exactly half an hour does not end a visit, so it is included.
        at += this.#random(20) === 0 ? 30 * MINUTE_MS : 1 + this.#random(10 * MINUTE_MS);
      }
      at += 31 * MINUTE_MS + this.#random(60 * MINUTE_MS);
    }
    if (!objects) this.#known(day, pages);
  }

  #view(person: string, at: number, path: string, referrer: string | null, objects = false) {
    const day = Math.floor(at / DAY_MS) * DAY_MS;
    const status = this.#random(4) === 0 ? 304 : 200;
    const visitor = objects ? null : visitorOf(person, at);
    this.#push(person, { at, path, status, referrer, visitor, bytes: status === 304 ? 0 : 2_000 });
    this.#day(day).pageviews += 1;
    add(this.answers.pageviews, path);
    if (objects) this.answers.untracked += 1;
    for (let n = this.#random(3); n > 0; n--)
      this.#push(person, { at, path: `/picture-${n}.png`, visitor, isPage: false, bytes: 5_000 });
  }

  /** Counts a visit on the day it began. */
  #begun(at: number, page: string, referrer: string | null) {
    this.#day(Math.floor(at / DAY_MS) * DAY_MS).visits += 1;
    add(this.answers.entries, page);
    if (referrer !== null) add(this.answers.referrers, referrer);
  }

  #known(at: number, pages: Iterable<string>) {
    this.#day(Math.floor(at / DAY_MS) * DAY_MS).visitors += 1;
    for (const page of pages) add(this.answers.pageVisitors, page);
  }

  #robot(day: number) {
    const page = PAGES[this.#random(60)] ?? '/';
    this.#push('robot', { at: day + this.#random(DAY_MS), path: page, client: 'robot', visitor: null });
    this.answers.robots += 1;
  }

  #lost(day: number) {
    const path = `/gone-${this.#random(12)}`;
    const at = day + 8 * HOUR_MS + this.#random(9 * HOUR_MS);
    this.#push('lost', { at, path, status: 404, isPage: false, visitor: visitorOf('lost', at) });
    add(this.answers.missing, path);
  }

  #push(person: string, more: Partial<AccessEntry> & { readonly at: number }) {
    const entry = entryOf(more);
    this.requests.push({ person, entry });
    add(this.answers.statuses, String(entry.status));
    this.#day(Math.floor(entry.at / DAY_MS) * DAY_MS).bytes += entry.bytes;
  }

  #day(at: number) {
    const found = this.answers.days.get(at) ?? { visits: 0, visitors: 0, pageviews: 0, bytes: 0 };
    this.answers.days.set(at, found);
    return found;
  }
}
