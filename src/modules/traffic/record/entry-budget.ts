import type { ShareUse } from '../../../accounts/shares/share-use.js';
import type { TaskReport } from '../../../kernel/faults/background-task.js';
import type { AccessEntry } from './tables/access-entry.js';

const DAY_MS = 86_400_000;

/** Parts of a day’s limit that a process takes at once. The first part of a site is taken without asking. */
const PARTS = 64;

/** What a row takes beside its texts, in bytes: its header, times, numbers and its part of the index. */
const ROW = 160;

type Standing = { left: number; isAsking: boolean; isSpent: boolean };

/**
 * Limits the bytes of entries that a site gets in a day, across processes and restarts. It decides at once: more is
 * taken from the database beside it, before what the process has is used up.
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

  /** Whether nothing more of the site is to be recorded today. */
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
      // While the database is away little is held, and all of it is wanted.
      standing.left += this.#part;
      this.task.failed(error);
    } finally {
      standing.isAsking = false;
    }
  }
}
