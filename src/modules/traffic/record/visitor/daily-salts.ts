import type { BackgroundTask } from '../../../../kernel/faults/background-task.js';
import type { VisitorSalts } from '../tables/visitor-salts.js';

const DAY_MS = 86_400_000;

/** Time after midnight (UTC) in which requests of the previous day can still be processed. */
const GRACE_MS = 60_000;

/** Time before midnight at which the next salt is loaded, in case the database is unavailable at midnight. */
const AHEAD_MS = 300_000;

/**
 * The salts that this process keeps for hashing visitors: today's and, around midnight, also that of the previous or
 * next day.
 */
export class DailySalts {
  readonly #salts = new Map<number, Buffer>();
  #loading: Promise<unknown> | null = null;
  #destroyedBefore = 0;

  constructor(
    private readonly salts: Pick<VisitorSalts, 'of' | 'destroyBefore'>,
    private readonly task: Pick<BackgroundTask, 'run'>,
  ) {}

  /** Returns the salt of a day, null if that day is over, or undefined if the salt must be loaded first. */
  of(day: number, now = Date.now()): Buffer | null | undefined {
    return this.#salts.get(day) ?? (day < firstDay(now) ? null : undefined);
  }

  async load(day: number): Promise<void> {
    this.#loading ??= this.task
      .run(async () => void this.#salts.set(day, await this.salts.of(day)))
      .finally(() => {
        this.#loading = null;
      });
    await this.#loading;
  }

  /**
   * Destroys old salts in memory and in the database, and loads the next day's salt shortly before midnight. Must be
   * called regularly.
   */
  async turn(now = Date.now()): Promise<void> {
    const first = firstDay(now);
    for (const day of this.#salts.keys()) if (day < first) this.#salts.delete(day);
    if (this.#destroyedBefore < first)
      await this.task.run(async () => {
        await this.salts.destroyBefore(first);
        this.#destroyedBefore = first;
      });
    const next = Math.floor((now + AHEAD_MS) / DAY_MS);
    if (next > first && !this.#salts.has(next) && this.#salts.size > 0) await this.load(next);
  }
}

/** Returns the earliest day whose salt may still be needed. */
const firstDay = (now: number) => Math.floor((now - GRACE_MS) / DAY_MS);
