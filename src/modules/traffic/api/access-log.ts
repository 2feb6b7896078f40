import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { ShareUse } from '../../../accounts/shares/share-use.js';
import { ClientAddress } from '../../../edge/http/limits/client-address.js';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import { Countries } from '../../../kernel/ports/outside/countries.js';
import { TrafficSettings } from '../../../settings/traffic-settings.js';
import { type Effort, EffortControl } from '../record/effort.js';
import { EntryBudget } from '../record/entry-budget.js';
import { EntryMaker } from '../record/entry-maker.js';
import { RequestRing } from '../record/request-ring.js';
import { Spared } from '../record/spared.js';
import { AccessEntries } from '../record/tables/access-entries.js';
import { computeDayNumber } from '../record/tables/access-partitions.js';
import { VisitorSalts } from '../record/tables/visitor-salts.js';
import { TrafficWriter } from '../record/traffic-writer.js';
import { DailySalts } from '../record/visitor/daily-salts.js';
import { visitorFields } from '../record/visitor/visitor-fields.js';
import { WaitingEntries } from '../record/waiting-entries.js';
import type { AccessLogCounts, ServedRequest, VisitedPlace } from './served-request.js';

/**
 * Limits for recording requests. `bench/serve/recorded.ts` measures the cost of recording, and how far an overloaded
 * CPU core exceeds these limits (decision 0081).
 */
const EFFORTS: { readonly idle: Effort; readonly busy: Effort } = {
  idle: { share: 0.15, alonePerSecond: 250, entriesPerSecond: 2_000 },
  busy: { share: 0.01, alonePerSecond: 50, entriesPerSecond: 200 },
};

/**
 * Maximum number of entries that wait for the database. They take about 10 MB, and cover between a minute and an hour
 * of traffic.
 */
const MOST_WAITING = 20_000;

/** Limits on the number and size of the requests that wait to be turned into log entries. */
const RING = { requests: 4_096, bytes: 16 * 1_024 * 1_024 };

/**
 * Length of the time windows in which request recording is allotted its share of CPU time. Windows are short, so that
 * skipped requests are spread evenly across sites.
 */
const WINDOW_MS = 100;

/**
 * Maximum unused processing time that is carried over to the next window. It lets an idle process record a sudden
 * burst.
 */
const MOST_SAVED_MS = 40;

/**
 * Delay before a request is recorded. Recording it immediately would cost an additional turn of the event loop. Keeping
 * it in memory much longer would make the garbage collector copy it.
 */
const LOOK_AFTER_MS = 4;

/** Maximum time that recording blocks the event loop without a break. */
const SLICE_MS = 2;

const TURN_EVERY_MS = 30_000;

const SALT_AGAIN_MS = 200;

/** Records, in the background, the responses that this process sends for sites. */
@Injectable()
export class AccessLog {
  readonly #ring = new RequestRing(RING);
  readonly #waiting: WaitingEntries;
  readonly #maker: EntryMaker;
  readonly #salts: DailySalts;
  readonly #writer: TrafficWriter;
  readonly #efforts = new EffortControl(EFFORTS);
  /** Whether the processing of waiting requests is scheduled. */
  #isDue = false;
  /** Time at which the first waiting request arrived. It is used as an approximation for all waiting requests. */
  #now = 0;
  #window = 0;
  /** Remaining processing time of this window in milliseconds, and whether it is used up. */
  #left = MOST_SAVED_MS;
  #isSpent = false;
  readonly #spared = new Spared();
  #isStarted = false;
  #dropped = 0;
  #turning: NodeJS.Timeout | undefined;

  constructor(
    private readonly settings: TrafficSettings,
    clientAddress: ClientAddress,
    countries: Countries,
    entries: AccessEntries,
    salts: VisitorSalts,
    use: ShareUse,
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

  wants({ isCounted }: VisitedPlace): boolean {
    return isCounted || this.settings.accessKeptDays > 0;
  }

  /**
   * Reports whether to skip a request because there is no time left to record it. A skipped request counts as dropped.
   * Called once per request, before `record`, so that skipping costs almost nothing.
   */
  passesOver({ siteId }: VisitedPlace): boolean {
    return this.#isSpent && !this.#spared.take(siteId);
  }

  /**
   * Records a request in well under a microsecond. Never waits or throws. Under high load, similar requests share an
   * entry, and requests beyond the limits are dropped and counted.
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

  start(signal: AbortSignal) {
    this.#isStarted = true;
    void this.#salts.turn();
    this.#turning = setInterval(() => void this.#salts.turn(), TURN_EVERY_MS).unref();
    this.#writer.start(signal);
  }

  /** Writes the remaining log entries within the time allowed for stopping. */
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
    // Charge wall-clock time, because the operating system's figures for CPU time are too coarse. Charge at most the
    // planned time (`SLICE_MS`): if more has passed, another process was using the CPU core.
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

  /** Counts most requests without recording them until the current window ends. */
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
        // Write the counts of skipped requests now, because there might be no further request.
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

  /**
   * Records waiting requests until `performance.now()` reaches `until`. Returns false if requests are left that could
   * be recorded now.
   */
  #lookAt(until: number, effort: Effort): boolean {
    for (let n = 1; ; n++) {
      const served = this.#ring.first();
      if (served === undefined) return true;
      const at = served.at ?? this.#now;
      const salt = served.place.isCounted ? this.#salts.of(computeDayNumber(at), this.#now) : null;
      if (salt === undefined) {
        void this.#awaitSalt(computeDayNumber(at));
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
