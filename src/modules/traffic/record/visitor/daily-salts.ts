import type { BackgroundTask } from '../../../../kernel/faults/background-task.js';
import type { VisitorSalts } from '../tables/visitor-salts.js';

const DAY_MS = 86_400_000;

/** After midnight (UTC), for requests of the evening that are still to be looked at, in milliseconds. */
const GRACE_MS = 60_000;

/** Before midnight, so that a database that is away at midnight keeps nothing waiting, in milliseconds. */
const AHEAD_MS = 300_000;

/** The salts that this process has: today's, and around midnight its neighbour's. */
export class DailySalts {
  readonly #salts = new Map<number, Buffer>();
  #loading: Promise<unknown> | null = null;
  #destroyedBefore = 0;

  constructor(
    private readonly salts: Pick<VisitorSalts, 'of' | 'destroyBefore'>,
    private readonly task: Pick<BackgroundTask, 'run'>,
  ) {}

  /** The salt of a day; null for one that is over; undefined where it has to be loaded first. */
  of(day: number, now = Date.now()): Buffer | null | undefined {
    return this.#salts.get(day) ?? (day < firstDay(now) ? null : undefined);
  }

  /** Loads the salt of a day, unless one is being loaded. */
  async load(day: number): Promise<void> {
    this.#loading ??= this.task
      .run(async () => void this.#salts.set(day, await this.salts.of(day)))
      .finally(() => {
        this.#loading = null;
      });
    await this.#loading;
  }

  /** Destroys what is over, here and in the database, and makes ready for tomorrow. To be called every now and then. */
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

/** The first day that may still have a salt. */
const firstDay = (now: number) => Math.floor((now - GRACE_MS) / DAY_MS);
