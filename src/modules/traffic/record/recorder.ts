import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { ClientAddress } from '../../../http/limits/client-address.js';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import { AccessLog, type ServedRequest } from '../../../kernel/ports/access-log.js';
import { Countries } from '../../../kernel/ports/countries.js';
import { SiteHosts } from '../../../kernel/ports/site-hosts.js';
import { TrafficSettings } from '../../../settings.traffic.js';
import { AccessEntries } from '../../../tables/traffic/access-entries.js';
import { dayOf } from '../../../tables/traffic/access-partitions.js';
import { VisitorSalts } from '../../../tables/traffic/visitor-salts.js';
import { BatchWriter } from './batch-writer.js';
import { DailySalts } from './daily-salts.js';
import { EntryMaker } from './entry-maker.js';
import { RequestRing } from './request-ring.js';
import { visitorFields } from './visitor-fields.js';
import { type RecordingLimits, WaitingEntries } from './waiting-entries.js';

/** Measured by `bench/serve/recorded.mjs`: with these, serving keeps 95 % of what a core answers (decision 0081). */
const LIMITS: RecordingLimits = { alonePerSecond: 250, perSecond: 2_000, waiting: 20_000 };

/** What of it is kept of requests that nobody has looked at yet. */
const RING = { requests: 16_384, bytes: 16 * 1_024 * 1_024 };

/** After a request, before it is looked at, in milliseconds: under load many are then looked at together. */
const DRAIN_AFTER_MS = 20;

/** The longest that the event loop is held at once, in milliseconds. */
const SLICE_MS = 2;

const TURN_EVERY_MS = 30_000;

/** Writes down what this process answers for sites, beside the answering. */
@Injectable()
export class Recorder extends AccessLog {
  readonly #ring = new RequestRing(RING);
  readonly #waiting = new WaitingEntries(LIMITS);
  readonly #maker: EntryMaker;
  readonly #salts: DailySalts;
  readonly #writer: BatchWriter;
  #timer: NodeJS.Timeout | null = null;
  #turning: NodeJS.Timeout | undefined;
  #isStarted = false;
  #dropped = 0;

  constructor(
    @Inject(TrafficSettings) private readonly settings: TrafficSettings,
    @Inject(ClientAddress) clientAddress: ClientAddress,
    @Inject(Countries) countries: Countries,
    @Inject(SiteHosts) hosts: SiteHosts,
    @Inject(AccessEntries) entries: AccessEntries,
    @Inject(VisitorSalts) salts: VisitorSalts,
  ) {
    super();
    this.#maker = new EntryMaker(clientAddress, countries, hosts);
    this.#salts = new DailySalts(salts, new BackgroundTask('salts_of_visitors'));
    this.#writer = new BatchWriter(entries, this.#waiting, randomUUID(), new BackgroundTask('access_entries'));
  }

  override get counts() {
    const { written, failedBatches, lost } = this.#writer;
    const waiting = this.#ring.size + this.#waiting.size + this.#writer.underWay;
    return { written, dropped: this.#dropped + lost, failedBatches, waiting };
  }

  override record(request: ServedRequest) {
    if (!request.isCounted && this.settings.accessKeptDays === 0) return;
    if (!this.#ring.push(request)) {
      this.#dropped += 1;
      this.#waiting.drop(request.siteId, request.at);
    }
    if (this.#timer === null && this.#isStarted) this.#drainAfter(DRAIN_AFTER_MS);
  }

  start(signal: AbortSignal) {
    this.#isStarted = true;
    void this.#salts.turn();
    this.#turning = setInterval(() => void this.#salts.turn(), TURN_EVERY_MS).unref();
    this.#writer.start(signal);
    if (this.#ring.size > 0) this.#drainAfter(0);
  }

  /** Writes what is left, for as long as a stop may take. */
  async stopped(): Promise<void> {
    this.#isStarted = false;
    clearInterval(this.#turning);
    if (this.#timer) clearTimeout(this.#timer);
    this.#drain(Number.POSITIVE_INFINITY);
    await this.#writer.finish();
  }

  #drainAfter(ms: number) {
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#drain(performance.now() + SLICE_MS);
      this.#writer.write();
      if (this.#ring.size > 0 && this.#timer === null && this.#isStarted) this.#drainAfter(1);
    }, ms).unref();
  }

  /** Looks at requests until a time of `performance.now()`. */
  #drain(until: number) {
    const now = Date.now();
    for (let n = 1; ; n++) {
      const request = this.#ring.first();
      if (request === undefined) return;
      const salt = request.isCounted ? this.#salts.of(dayOf(request.at), now) : null;
      if (salt === undefined) return this.#awaitSalt(dayOf(request.at));
      this.#ring.shift();
      const fields = visitorFields(request.rawHeaders);
      if (!this.#waiting.add(request, fields, now, () => this.#maker.entryOf(request, fields, salt)))
        this.#dropped += 1;
      if (n % 16 === 0 && performance.now() > until) return;
    }
  }

  #awaitSalt(day: number) {
    if (this.#timer !== null || !this.#isStarted) return;
    this.#timer = setTimeout(() => undefined, 0);
    void this.#salts.load(day).then(async () => {
      if (this.#salts.of(day) === undefined) await pause(200, undefined, { ref: false });
      this.#timer = null;
      if (this.#isStarted) this.#drainAfter(0);
    });
  }
}
