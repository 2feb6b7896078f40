import { Inject, Injectable } from '@nestjs/common';
import type { Agent } from '../../../accounts/tokens/connector-tokens.js';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import type { PreparesToStop } from '../../../nest/stopping.js';
import type { LeasedWork } from '../queue/work.js';
import { Leasing } from './leasing.js';

/** How soon after its result an agent asks for more if it has nothing else to do; work is kept for it as long. Milliseconds. */
export const KEPT_MS = 50;

/** How often in a row an agent has to have asked so soon before work is kept for it. */
export const EAGER = 10;

/** So soon a result comes of an agent that has little to do for it, in milliseconds. */
const AT_ONCE_MS = 5;

/** Of agents, by their tokens. */
const MOST_REMEMBERED = 10_000;

type KeptWork = { readonly siteId: string; readonly work: LeasedWork; readonly timer: NodeJS.Timeout };

const givingBack = new BackgroundTask('give_back_kept_work');

/**
 * Work that was leased with the result of an agent that has always asked this process for more at once, for the poll that
 * it sends next. Where no poll comes the work goes back, as if the agent had gone before it got it: it waits for the next
 * one at once, and the attempt does not count.
 */
@Injectable()
export class NextWork implements PreparesToStop {
  readonly #kept = new Map<string, KeptWork>();
  /** When the last result was answered after which nothing was asked yet, by `performance.now()`. */
  readonly #answeredAt = new Map<string, number>();
  readonly #soonInARow = new Map<string, number>();
  /** When work was kept last, or given to its agent, by site. */
  readonly #givenAt = new Map<string, number>();
  #isStopping = false;

  constructor(@Inject(Leasing) private readonly leasing: Pick<Leasing, 'giveBack'>) {}

  /** Whether the agent, whose result has come, will ask for more at once, and nothing is kept for it yet. */
  isWantedBy({ tokenId }: Agent): boolean {
    return !this.#isStopping && (this.#soonInARow.get(tokenId) ?? 0) >= EAGER && !this.#kept.has(tokenId);
  }

  /** Whether a result may come at any moment, with which other steps of this site can go. */
  expectsResult(siteId: string): boolean {
    const givenAt = this.#givenAt.get(siteId);
    return givenAt !== undefined && performance.now() - givenAt < AT_ONCE_MS;
  }

  /** The result of the agent is answered now. `work`: what was leased to it, to be kept. */
  answered({ tokenId, siteId }: Agent, work: LeasedWork | null): void {
    if (this.#answeredAt.size >= MOST_REMEMBERED) this.#answeredAt.clear();
    this.#answeredAt.set(tokenId, performance.now());
    if (work === null) return;
    this.#given(siteId);
    // Where agents share a token, two results may have come at once.
    if (this.#isStopping || this.#kept.has(tokenId)) return void this.#giveBack({ siteId, work });
    const timer = setTimeout(() => {
      this.#kept.delete(tokenId);
      this.#soonInARow.delete(tokenId);
      void this.#giveBack({ siteId, work });
    }, KEPT_MS);
    this.#kept.set(tokenId, { siteId, work, timer });
  }

  /** The agent asks for work: what was kept for it, if anything. */
  takenBy({ tokenId }: Agent): LeasedWork | null {
    const answeredAt = this.#answeredAt.get(tokenId);
    if (answeredAt !== undefined) {
      this.#answeredAt.delete(tokenId);
      this.#count(tokenId, performance.now() - answeredAt < KEPT_MS);
    }
    const kept = this.#kept.get(tokenId);
    if (kept === undefined) return null;
    clearTimeout(kept.timer);
    this.#kept.delete(tokenId);
    this.#given(kept.siteId);
    return kept.work;
  }

  #given(siteId: string): void {
    if (this.#givenAt.size >= MOST_REMEMBERED) this.#givenAt.clear();
    this.#givenAt.set(siteId, performance.now());
  }

  /** Gives reserved work back when the process stops. */
  async prepareToStop(): Promise<void> {
    this.#isStopping = true;
    const all = [...this.#kept.values()];
    this.#kept.clear();
    for (const { timer } of all) clearTimeout(timer);
    await Promise.all(all.map((kept) => this.#giveBack(kept)));
  }

  #count(tokenId: string, isSoon: boolean): void {
    if (this.#soonInARow.size >= MOST_REMEMBERED) this.#soonInARow.clear();
    if (isSoon) this.#soonInARow.set(tokenId, (this.#soonInARow.get(tokenId) ?? 0) + 1);
    else this.#soonInARow.delete(tokenId);
  }

  #giveBack({ siteId, work }: Pick<KeptWork, 'siteId' | 'work'>): Promise<boolean> {
    return givingBack.run(() => this.leasing.giveBack(siteId, work));
  }
}
