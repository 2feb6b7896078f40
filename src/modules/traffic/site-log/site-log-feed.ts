import { setTimeout as pause } from 'node:timers/promises';
import type { ClientConfig } from 'pg';
import { orAborted } from '../../../kernel/concurrency/or-aborted.js';
import { StoreUnavailableError } from '../../../kernel/event-store.js';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import { listenToChannel } from '../../../storage/postgres/listen-on.js';
import type { LogEntry } from '../api/log-entry.js';
import { SITE_LOG_CHANNEL } from '../api/site-log.js';
import type { SiteLogEntries } from './site-log-entries.js';

const PAGE = 500;
/** Maximum number of log entries waiting for a slow watcher. Beyond that, the watcher has to read the tables. */
const MAX_WAITING = 4 * PAGE;

/** Pause between two reads of the log, so that small batches are read together. */
const REST_MS = 20;
/** Interval at which the log is read if there is no notification. */
const LOOK_EVERY_MS = 5_000;
const RETRY_MS = 250;

/**
 * Maximum time between a request and the writing of its log entry. Only used to avoid reading partitions of past days.
 */
const LATE_MS = 86_400_000;

const reading = new BackgroundTask('read_logs_of_sites');
const catchingUp = new BackgroundTask('read_logs_of_sites');
const listening = new BackgroundTask('listen_for_logs_of_sites');

/** A watcher of one site's log. Initially it is behind, and must read earlier entries from the tables. */
class LogSubscription {
  /** Whether the watcher must read the tables before it receives entries from the feed. */
  isBehind = true;
  #entries: LogEntry[] = [];
  #wake: (() => void) | undefined;

  /**
   * Marks the watcher as up to date. Must be called before reading the tables, so that the feed delivers entries that
   * this read misses.
   */
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
    if (this.#entries.length + entries.length > MAX_WAITING) this.fallBehind();
    else {
      this.#entries.push(...entries);
      this.#wake?.();
    }
  }

  /**
   * Resolves to new log entries as soon as there are any. Resolves to an empty list if the watcher fell behind or
   * `signal` aborts.
   */
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

/** Reads new log entries with one query for all watched sites. Does not read if there are no watchers. */
export class SiteLogFeed {
  readonly #watchers = new Map<string, Set<LogSubscription>>();
  #isRunning = false;
  #allLeft = new AbortController();
  #news = Promise.withResolvers<void>();

  constructor(
    private readonly entries: SiteLogEntries,
    /** Settings of the database connection that receives notifications. */
    private readonly config: ClientConfig,
  ) {}

  /**
   * Yields a site's log entries after an ID in non-empty batches until `signal` aborts. Continues after database
   * failures.
   */
  async *watch(siteId: string, after: number, signal: AbortSignal): AsyncGenerator<readonly LogEntry[]> {
    const subscription = this.#join(siteId);
    let last = after;
    try {
      while (!signal.aborted) {
        let entries: readonly LogEntry[];
        if (subscription.isBehind) {
          subscription.catchUp();
          entries = await this.#oldest(siteId, last, signal);
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

  /** Repeats the read while the database is unavailable, so that the watcher does not lose its position. */
  async #oldest(siteId: string, after: number, signal: AbortSignal): Promise<readonly LogEntry[]> {
    while (!signal.aborted) {
      try {
        const { entries } = await this.entries.oldest(siteId, {}, { after, limit: PAGE });
        catchingUp.succeeded();
        return entries;
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error;
        catchingUp.failed(error);
        await orAborted(pause(RETRY_MS), signal);
      }
    }
    return [];
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
      const heard = listenToChannel(
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

  /** Reads new log entries until `signal` aborts. Leaves no gaps, even if the database is temporarily unavailable. */
  async #readOn(signal: AbortSignal): Promise<void> {
    let last: number | null = null;
    let readAt = Date.now();
    while (!signal.aborted) {
      try {
        if (last === null) {
          last = await this.entries.end();
          // Make all watchers read earlier entries from the tables, because the feed starts at this position.
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
