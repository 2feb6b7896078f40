import { Inject, Injectable } from '@nestjs/common';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import { StatusSettings } from '../../../settings/status-settings.js';
import { Incidents } from '../incidents/incidents.js';
import { type LatestResult, type ProbeResult, ProbeResults } from '../probes/probe-results.js';
import { type BoardRecords, type StatusSnapshot, snapshotOf } from './status-snapshot.js';

/** How old what is shown may be while others ask, in milliseconds. */
const FRESH_MS = 10_000;

/** Past this age, as no caller has asked for a while, a new reading is waited for; for so long. Milliseconds. */
const OLD_MS = 30_000;
const WAIT_MS = 1_500;

const reading = new BackgroundTask('read_status');

/**
 * What the status page says, in memory: read once for all who ask, and kept while the database is away. What this process
 * finds itself is seen at once.
 */
@Injectable()
export class StatusBoard {
  #records: BoardRecords | null = null;
  /** What this process found itself, by component. */
  readonly #own = new Map<string, LatestResult>();
  #snapshot = snapshotOf(null, this.#own, true, new Date());
  /** By `performance.now()`: when reading was last begun. */
  #begunAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<boolean> | null = null;
  readonly #freshMs: number;

  constructor(
    @Inject(ProbeResults) private readonly results: ProbeResults,
    @Inject(Incidents) private readonly incidents: Incidents,
    @Inject(StatusSettings) { everyMs }: StatusSettings,
  ) {
    this.#freshMs = Math.min(everyMs ?? FRESH_MS, FRESH_MS);
  }

  /** What is to be said now. It never rejects, and answers at once while callers ask now and then. */
  async current(): Promise<StatusSnapshot> {
    const age = performance.now() - this.#begunAt;
    if (age > this.#freshMs) {
      const read = this.refresh();
      if (age > OLD_MS) await Promise.race([read, new Promise((resolve) => setTimeout(resolve, WAIT_MS).unref())]);
    }
    return this.#snapshot;
  }

  /** Reads what was recorded anew. Resolves to whether that could be done. */
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
   * Reads all that was recorded until now, as a reading that is under way may have begun before. Resolves to whether
   * that could be done.
   */
  async refreshAnew(): Promise<boolean> {
    await this.#reading;
    return this.refresh();
  }

  /** What was just found here. */
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
    this.#snapshot = snapshotOf(this.#records, this.#own, isCurrent, new Date());
  }
}
