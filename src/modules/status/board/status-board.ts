import { Injectable } from '@nestjs/common';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import { StatusSettings } from '../../../settings/status-settings.js';
import { IncidentStore } from '../incidents/incidents.js';
import { type LatestResult, type ProbeResult, ProbeResultStore } from '../probes/probe-results.js';
import { type BoardRecords, buildStatusSnapshot, type StatusSnapshot } from './status-snapshot.js';

/** A status snapshot that is older than this is refreshed in the background when it is requested. */
const FRESH_MS = 10_000;

/**
 * If the last read from the database began more than OLD_MS ago, a request waits up to WAIT_MS for a new status
 * snapshot.
 */
const OLD_MS = 30_000;
const WAIT_MS = 1_500;

const reading = new BackgroundTask('read_status');

/**
 * Keeps the content of the status page in memory, so that it can be shown while the database is unavailable. Includes
 * this process's own probe results before they are stored.
 */
@Injectable()
export class StatusBoard {
  #records: BoardRecords | null = null;
  /** The latest probe results of this process, by component. */
  readonly #own = new Map<string, LatestResult>();
  #snapshot = buildStatusSnapshot(null, this.#own, true, new Date());
  /** Time at which the last read from the database began (`performance.now()`). */
  #begunAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<boolean> | null = null;
  readonly #freshMs: number;

  constructor(
    private readonly results: ProbeResultStore,
    private readonly incidents: IncidentStore,
    { everyMs }: StatusSettings,
  ) {
    this.#freshMs = Math.min(everyMs ?? FRESH_MS, FRESH_MS);
  }

  /**
   * Returns the current status snapshot. Never rejects. Waits for the database only if the snapshot has not been
   * refreshed for a while.
   */
  async current(): Promise<StatusSnapshot> {
    const age = performance.now() - this.#begunAt;
    if (age > this.#freshMs) {
      const read = this.refresh();
      if (age > OLD_MS) await Promise.race([read, new Promise((resolve) => setTimeout(resolve, WAIT_MS).unref())]);
    }
    return this.#snapshot;
  }

  /**
   * Reads the probe results and incidents from the database. If a read is already running, waits for that one. Resolves
   * to true if the read succeeded.
   */
  refresh(): Promise<boolean> {
    this.#begunAt = performance.now();
    this.#reading ??= reading
      .run(() => this.#read())
      .then((isRead) => {
        this.#show(isRead);
        return isRead;
      })
      .finally(() => {
        this.#reading = null;
      });
    return this.#reading;
  }

  /**
   * Reads the probe results and incidents from the database. If a read is already running, starts another one
   * afterwards, because the running one may miss the latest changes. Resolves to true if the last read succeeded.
   */
  async refreshAnew(): Promise<boolean> {
    await this.#reading;
    return this.refresh();
  }

  note(results: readonly ProbeResult[]): void {
    for (const result of results) {
      const before = this.#own.get(result.component);
      const since = before?.isWell === result.isWell ? before.since : result.at;
      this.#own.set(result.component, { ...result, since });
    }
    this.#show(this.#snapshot.isCurrent);
  }

  async #read() {
    const [records, incidents] = await Promise.all([this.results.read(), this.incidents.recent()]);
    this.#records = { ...records, incidents, readAt: new Date() };
  }

  #show(isCurrent: boolean) {
    this.#snapshot = buildStatusSnapshot(this.#records, this.#own, isCurrent, new Date());
  }
}
