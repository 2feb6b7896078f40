import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { ShareUse } from '../../../accounts/shares/share-use.js';
import { ClientAddress } from '../../../edge/http/limits/client-address.js';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import { Countries } from '../../../kernel/ports/outside/countries.js';
import { TrafficSettings } from '../../../settings/traffic-settings.js';
import { type Effort, Efforts } from '../record/effort.js';
import { EntryBudget } from '../record/entry-budget.js';
import { EntryMaker } from '../record/entry-maker.js';
import { RequestRing } from '../record/request-ring.js';
import { Spared } from '../record/spared.js';
import { AccessEntries } from '../record/tables/access-entries.js';
import { dayOf } from '../record/tables/access-partitions.js';
import { VisitorSalts } from '../record/tables/visitor-salts.js';
import { TrafficWriter } from '../record/traffic-writer.js';
import { DailySalts } from '../record/visitor/daily-salts.js';
import { visitorFields } from '../record/visitor/visitor-fields.js';
import { WaitingEntries } from '../record/waiting-entries.js';
import type { AccessLogCounts, ServedRequest, VisitedPlace } from './served-request.js';

/** What it costs, and by how much a core with nothing to spare misses what is wanted, is measured by `bench/serve/recorded.ts` (decision 0081). */
const EFFORTS: { readonly idle: Effort; readonly busy: Effort } = {
  idle: { share: 0.15, alonePerSecond: 250, entriesPerSecond: 2_000 },
  busy: { share: 0.01, alonePerSecond: 50, entriesPerSecond: 200 },
};

/** Entries that wait for the database: some 10 MB, a minute's or an hour's by how much is asked. */
const MOST_WAITING = 20_000;

/** The most that is held of requests that were not looked at yet. */
const RING = { requests: 4_096, bytes: 16 * 1_024 * 1_024 };

/** In each of which recording has its share, in milliseconds: so what it cannot look at is spread over all sites. */
const WINDOW_MS = 100;

/** What it saves of its shares, in milliseconds: visitors who come all at once to an idle process are recorded. */
const MOST_SAVED_MS = 40;

/**
 * After a request, before it is looked at, in milliseconds. Looked at in the same turn of the event loop, each would
 * cost another turn; what is held for much longer, the collector of garbage has to copy.
 */
const LOOK_AFTER_MS = 4;

/** The longest that the event loop is held at once, in milliseconds. */
const SLICE_MS = 2;

const TURN_EVERY_MS = 30_000;

/** After a salt could not be loaded, in milliseconds. */
const SALT_AGAIN_MS = 200;

/** Writes down what this process answers for sites, beside the answering. */
@Injectable()
export class AccessLog {
  readonly #ring = new RequestRing(RING);
  readonly #waiting: WaitingEntries;
  readonly #maker: EntryMaker;
  readonly #salts: DailySalts;
  readonly #writer: TrafficWriter;
  readonly #efforts = new Efforts(EFFORTS);
  /** Whether requests are going to be looked at. */
  #isDue = false;
  /** When the first of those was answered that wait to be looked at: about when they all were. */
  #now = 0;
  #window = 0;
  /** What looking may take still, in milliseconds, and whether that is nothing. */
  #left = MOST_SAVED_MS;
  #isSpent = false;
  readonly #spared = new Spared();
  #isStarted = false;
  #dropped = 0;
  #turning: NodeJS.Timeout | undefined;

  constructor(
    @Inject(TrafficSettings) private readonly settings: TrafficSettings,
    @Inject(ClientAddress) clientAddress: ClientAddress,
    @Inject(Countries) countries: Countries,
    @Inject(AccessEntries) entries: AccessEntries,
    @Inject(VisitorSalts) salts: VisitorSalts,
    @Inject(ShareUse) use: ShareUse,
  ) {
    const budget = new EntryBudget(use, settings.accessBytesPerDay, new BackgroundTask('access_entry_budgets'));
    this.#waiting = new WaitingEntries(MOST_WAITING, budget);
    this.#maker = new EntryMaker(clientAddress, countries);
    this.#salts = new DailySalts(salts, new BackgroundTask('salts_of_visitors'));
    this.#writer = new TrafficWriter(entries, this.#waiting, randomUUID(), new BackgroundTask('access_entries'));
  }

  get counts(): AccessLogCounts {
    const { written, failedBatches, lost } = this.#writer;
    const waiting = this.#ring.size + this.#waiting.size + this.#writer.underWay;
    return { written, dropped: this.#dropped + lost, failedBatches, waiting };
  }

  /** Whether anything is kept of requests to a place. */
  wants({ isCounted }: VisitedPlace): boolean {
    return isCounted || this.settings.accessKeptDays > 0;
  }

  /**
   * Whether there is no time to record a request to this place; the request then counts as dropped. Called once for each
   * request, before `record`, so that a request that is passed over costs next to nothing.
   */
  passesOver({ siteId }: VisitedPlace): boolean {
    return this.#isSpent && !this.#spared.take(siteId);
  }

  /**
   * Records a request; takes well under a microsecond, never waits and never throws. Under more load than can be written,
   * similar requests are counted together, and the rest is dropped and counted.
   */
  record(served: ServedRequest): void {
    if (!this.#ring.push(served)) {
      this.#drop(served);
      return;
    }
    if (this.#isDue || !this.#isStarted) return;
    this.#now = Date.now();
    this.#lookAfter(LOOK_AFTER_MS);
  }

  /** From now on what is recorded is written. */
  start(signal: AbortSignal) {
    this.#isStarted = true;
    void this.#salts.turn();
    this.#turning = setInterval(() => void this.#salts.turn(), TURN_EVERY_MS).unref();
    this.#writer.start(signal);
  }

  /** Writes what is left, for as long as a stop may take. */
  async stopped(): Promise<void> {
    this.#isStarted = false;
    clearInterval(this.#turning);
    this.#countPassedOver();
    this.#lookAt(Number.POSITIVE_INFINITY, EFFORTS.idle);
    await this.#writer.finish();
  }

  #drop({ place: { siteId }, at }: ServedRequest) {
    this.#dropped += 1;
    this.#waiting.drop(siteId, at ?? this.#now);
  }

  #lookAfter(ms: number) {
    this.#isDue = true;
    setTimeout(this.#look, ms).unref();
  }

  readonly #look = () => {
    this.#isDue = false;
    if (!this.#isStarted) return;
    const began = performance.now();
    const effort = this.#efforts.at(began);
    this.#turnTo(began, effort);
    const isDone = this.#lookAt(began + Math.min(SLICE_MS, this.#left), effort);
    // By the clock, since the system counts CPU in steps that are longer than this takes. When another process had the
    // core in between, that is not charged.
    this.#left -= Math.min(SLICE_MS, performance.now() - began);
    this.#writer.write();
    if (this.#left <= 0 && !this.#isSpent) this.#rest();
    else if (!isDone) this.#lookAfter(1);
  };

  #turnTo(now: number, { share }: Effort) {
    this.#waiting.turn(Math.floor(now / 1_000));
    const window = Math.floor(now / WINDOW_MS);
    const earned = (window - this.#window) * share * WINDOW_MS;
    this.#window = window;
    this.#left = Math.min(MOST_SAVED_MS, this.#left + earned);
  }

  /** Until the window is over, most requests are only counted. */
  #rest() {
    this.#isSpent = true;
    const spared: ServedRequest[] = [];
    for (let left = this.#ring.first(); left !== undefined; left = this.#ring.first()) {
      this.#ring.shift();
      if (this.#spared.take(left.place.siteId)) spared.push(left);
    }
    for (const each of spared) this.#ring.push(each);
    if (spared.length > 0) this.#lookAfter(LOOK_AFTER_MS);
    setTimeout(
      () => {
        this.#isSpent = false;
        this.#countPassedOver();
        // What was only counted meanwhile; it may be that nothing more comes.
        this.#writer.write();
      },
      WINDOW_MS - (performance.now() % WINDOW_MS),
    ).unref();
    this.#now = Date.now();
  }

  #countPassedOver() {
    for (const [siteId, hits] of this.#spared.turn()) {
      this.#dropped += hits;
      this.#waiting.drop(siteId, this.#now, hits);
    }
  }

  /** Looks at requests until a time of `performance.now()`; false where some are left that can be looked at now. */
  #lookAt(until: number, effort: Effort): boolean {
    for (let n = 1; ; n++) {
      const served = this.#ring.first();
      if (served === undefined) return true;
      const at = served.at ?? this.#now;
      const salt = served.place.isCounted ? this.#salts.of(dayOf(at), this.#now) : null;
      if (salt === undefined) {
        void this.#awaitSalt(dayOf(at));
        return true;
      }
      this.#ring.shift();
      const fields = visitorFields(served.request.rawHeaders);
      const isKept = this.#waiting.add(served, at, fields, effort, () => this.#maker.entryOf(served, at, fields, salt));
      if (!isKept) this.#dropped += 1;
      if (n % 16 === 0 && performance.now() > until) return this.#ring.size === 0;
    }
  }

  async #awaitSalt(day: number) {
    this.#isDue = true;
    await this.#salts.load(day);
    if (this.#salts.of(day) === undefined) await pause(SALT_AGAIN_MS, undefined, { ref: false });
    this.#lookAfter(1);
  }
}
