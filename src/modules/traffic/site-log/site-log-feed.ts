import { setTimeout as pause } from 'node:timers/promises';
import type { ClientConfig } from 'pg';
import { orAborted } from '../../../kernel/concurrency/or-aborted.js';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import { listenOn } from '../../../storage/postgres/listen-on.js';
import type { LogEntry } from '../api/log-entry.js';
import { SITE_LOG_CHANNEL } from '../api/site-log.js';
import type { SiteLogEntries } from './site-log-entries.js';

/** Entries read at once. */
const PAGE = 500;
/** What a slow watcher may have waiting before it is sent back to the tables. */
const MOST_WAITING = 4 * PAGE;

/** Between two readings, in milliseconds: many small batches of entries are read together. */
const REST_MS = 20;
/** Without a word from the writers it is looked for entries now and again, in milliseconds. */
const LOOK_EVERY_MS = 5_000;
/** Between two tries while the database is away, in milliseconds. */
const RETRY_MS = 250;

/**
 * How much older than the last reading an entry of a request may be that was not there then, in milliseconds. It only
 * spares the database the partitions of days that are over.
 */
const LATE_MS = 86_400_000;

const reading = new BackgroundTask('read_logs_of_sites');
const listening = new BackgroundTask('listen_for_logs_of_sites');

/** One watcher of one site. It is behind at first: what came before it is in the tables. */
class LogSubscription {
  /** The watcher must read the tables itself before it takes anything from here. */
  isBehind = true;
  #entries: LogEntry[] = [];
  #wake: (() => void) | undefined;

  /** To be called before reading the tables: whatever that reading does not find will be here. */
  catchUp(): void {
    this.isBehind = false;
    this.#entries = [];
  }

  fallBehind(): void {
    this.isBehind = true;
    this.#entries = [];
    this.#wake?.();
  }

  deliver(entries: readonly LogEntry[]): void {
    if (this.isBehind) return;
    if (this.#entries.length + entries.length > MOST_WAITING) this.fallBehind();
    else {
      this.#entries.push(...entries);
      this.#wake?.();
    }
  }

  /** What has come since, as soon as there is something; nothing when it fell behind or `signal` aborts. */
  async next(signal: AbortSignal): Promise<readonly LogEntry[]> {
    if (this.#entries.length === 0 && !this.isBehind) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await orAborted(promise, signal);
      this.#wake = undefined;
    }
    const entries = this.#entries;
    this.#entries = [];
    return entries;
  }
}

/**
 * Reads what is new in the logs of sites once for all watchers in this process, by one query for all watched sites; not
 * at all while there are none.
 */
export class SiteLogFeed {
  readonly #watchers = new Map<string, Set<LogSubscription>>();
  #isRunning = false;
  #allLeft = new AbortController();
  #news = Promise.withResolvers<void>();

  constructor(
    private readonly entries: SiteLogEntries,
    /** Of a connection to listen on. */
    private readonly config: ClientConfig,
  ) {}

  /**
   * Entries of a site behind an id, then whatever comes, in batches that are never empty, until `signal` aborts. It
   * outlives a database that goes away.
   */
  async *watch(siteId: string, after: number, signal: AbortSignal): AsyncGenerator<readonly LogEntry[]> {
    const subscription = this.#join(siteId);
    let last = after;
    try {
      while (!signal.aborted) {
        let entries: readonly LogEntry[];
        if (subscription.isBehind) {
          subscription.catchUp();
          entries = await this.#oldest(siteId, last);
          if (entries.length === PAGE) subscription.fallBehind();
        } else entries = (await subscription.next(signal)).filter(({ id }) => id > last);
        const newest = entries.at(-1);
        if (!newest || signal.aborted) continue;
        last = newest.id;
        yield entries;
      }
    } finally {
      this.#leave(siteId, subscription);
    }
  }

  async #oldest(siteId: string, after: number): Promise<readonly LogEntry[]> {
    const { entries } = await this.entries.oldest(siteId, {}, { after, limit: PAGE });
    return entries;
  }

  #join(siteId: string): LogSubscription {
    const subscription = new LogSubscription();
    this.#watchers.set(siteId, (this.#watchers.get(siteId) ?? new Set()).add(subscription));
    if (!this.#isRunning) void this.#run();
    return subscription;
  }

  #leave(siteId: string, subscription: LogSubscription): void {
    const subscriptions = this.#watchers.get(siteId);
    subscriptions?.delete(subscription);
    if (subscriptions?.size === 0) this.#watchers.delete(siteId);
    if (this.#watchers.size === 0) this.#allLeft.abort();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#watchers.size > 0) {
      this.#allLeft = new AbortController();
      const { signal } = this.#allLeft;
      const heard = listenOn(
        this.config,
        {
          channel: SITE_LOG_CHANNEL,
          applicationName: 'stele logs of sites',
          task: listening,
          onMessage: () => this.#news.resolve(),
          onListening: () => this.#news.resolve(),
        },
        signal,
      );
      await this.#readOn(signal);
      await heard;
    }
    this.#isRunning = false;
  }

  /** From one id on, without leaving anything out, however often the database is away in between. */
  async #readOn(signal: AbortSignal): Promise<void> {
    let last: number | null = null;
    let readAt = Date.now();
    while (!signal.aborted) {
      try {
        if (last === null) {
          last = await this.entries.end();
          // What came before it is not handed out here.
          for (const subscription of this.#subscriptions()) subscription.fallBehind();
        }
        this.#news = Promise.withResolvers();
        const began = Date.now();
        const entries = await this.entries.ofAll([...this.#watchers.keys()], last, readAt - LATE_MS, PAGE);
        reading.succeeded();
        last = entries.at(-1)?.id ?? last;
        this.#deliver(entries);
        if (entries.length === PAGE) continue;
        readAt = began;
        await orAborted(pause(REST_MS), signal);
        await this.#untilNews(signal);
      } catch (error) {
        reading.failed(error);
        await orAborted(pause(RETRY_MS), signal);
      }
    }
  }

  async #untilNews(signal: AbortSignal): Promise<void> {
    const timer = setTimeout(this.#news.resolve, LOOK_EVERY_MS);
    await orAborted(this.#news.promise, signal);
    clearTimeout(timer);
  }

  #deliver(entries: readonly LogEntry[]): void {
    const bySite = Map.groupBy(entries, ({ siteId }) => siteId);
    for (const [siteId, ofSite] of bySite)
      for (const subscription of this.#watchers.get(siteId) ?? []) subscription.deliver(ofSite);
  }

  *#subscriptions(): Iterable<LogSubscription> {
    for (const subscriptions of this.#watchers.values()) yield* subscriptions;
  }
}
