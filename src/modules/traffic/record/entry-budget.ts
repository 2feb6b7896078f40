import type { ShareUse } from '../../../accounts/shares/share-use.js';
import type { TaskReport } from '../../../kernel/faults/background-task.js';
import type { AccessEntry } from './tables/access-entry.js';

const DAY_MS = 86_400_000;

/**
 * Number of equal parts into which a site's daily limit is divided. A process gets the first part of each site without
 * a query, and requests further parts from the database one at a time.
 */
const PARTS = 64;

/** Size of an entry's database row without its strings, in bytes: header, times, numbers and index. */
const ROW = 160;

type Standing = { left: number; isAsking: boolean; isSpent: boolean };

/**
 * Limits the bytes of log entries recorded for a site per day, across processes and restarts. Decides without waiting:
 * the next part of the limit is requested from the database before the current part is used up.
 */
export class EntryBudget {
  readonly #part: number;
  readonly #standings = new Map<string, Standing>();
  #day = 0;

  constructor(
    private readonly use: Pick<ShareUse, 'take'>,
    private readonly limit: number,
    private readonly task: TaskReport,
  ) {
    this.#part = Math.max(1, Math.floor(limit / PARTS));
  }

  isSpent(siteId: string): boolean {
    return this.#of(siteId).left <= 0;
  }

  spend({ siteId, path, referrer }: Pick<AccessEntry, 'siteId' | 'path' | 'referrer'>): void {
    const standing = this.#of(siteId);
    standing.left -= ROW + Buffer.byteLength(path) + (referrer?.length ?? 0);
    if (standing.left < this.#part / 2 && !standing.isAsking && !standing.isSpent) void this.#ask(siteId, standing);
  }

  #of(siteId: string): Standing {
    const day = Math.floor(Date.now() / DAY_MS);
    if (day !== this.#day) this.#standings.clear();
    this.#day = day;
    const known = this.#standings.get(siteId);
    if (known) return known;
    const standing = { left: this.#part, isAsking: false, isSpent: false };
    this.#standings.set(siteId, standing);
    return standing;
  }

  async #ask(siteId: string, standing: Standing): Promise<void> {
    standing.isAsking = true;
    try {
      if (await this.use.take('access bytes', siteId, this.#part, this.limit)) standing.left += this.#part;
      else standing.isSpent = true;
      this.task.succeeded();
    } catch (error) {
      // While the database is unavailable, accept all entries: only a few can be buffered.
      standing.left += this.#part;
      this.task.failed(error);
    } finally {
      standing.isAsking = false;
    }
  }
}
