import { Inject, Injectable } from '@nestjs/common';
import type { Agent } from '../../../accounts/tokens/connector-tokens.js';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import type { PreparesToStop } from '../../../nest/stopping.js';
import type { DispatchedWork } from '../queue/work.js';
import { WorkDispatcher } from './work-dispatcher.js';

/** Time within which an idle agent polls again after it has sent a result. Work stays reserved for this long. */
export const KEPT_MS = 50;

/** Number of consecutive immediate polls required before work is reserved for an agent. */
export const EAGER = 10;

/** A result that arrives within this time means that the agent does little work per item. */
const AT_ONCE_MS = 5;

const MAX_REMEMBERED = 10_000;

type KeptWork = { readonly siteId: string; readonly work: DispatchedWork; readonly timer: NodeJS.Timeout };

const givingBack = new BackgroundTask('give_back_kept_work');

/**
 * Reserves work for an agent that keeps polling this process again immediately. The work is leased when the agent's
 * result is stored, and is sent as the response to the agent's next poll. If no poll arrives in time, the work is given
 * back: another agent can get it immediately, and the attempt does not count.
 */
@Injectable()
export class NextWork implements PreparesToStop {
  readonly #kept = new Map<string, KeptWork>();
  /**
   * When the last result of each agent was acknowledged (`performance.now()`), by token. The agent's next poll removes
   * the entry.
   */
  readonly #answeredAt = new Map<string, number>();
  readonly #soonInARow = new Map<string, number>();
  /** When work was last reserved or fetched, by site. */
  readonly #givenAt = new Map<string, number>();
  #isStopping = false;

  constructor(@Inject(WorkDispatcher) private readonly leasing: Pick<WorkDispatcher, 'giveBack'>) {}

  isWantedBy({ tokenId }: Agent): boolean {
    return !this.#isStopping && (this.#soonInARow.get(tokenId) ?? 0) >= EAGER && !this.#kept.has(tokenId);
  }

  /**
   * Reports whether an agent is likely to send a result for this site within milliseconds. Other steps can then wait in
   * order to share the transaction that stores the result.
   */
  expectsResult(siteId: string): boolean {
    const givenAt = this.#givenAt.get(siteId);
    return givenAt !== undefined && performance.now() - givenAt < AT_ONCE_MS;
  }

  /** Must be called just before an agent's result is acknowledged. Reserves `work` for the agent's next poll. */
  answered({ tokenId, siteId }: Agent, work: DispatchedWork | null): void {
    if (this.#answeredAt.size >= MAX_REMEMBERED) this.#answeredAt.clear();
    this.#answeredAt.set(tokenId, performance.now());
    if (work === null) return;
    this.#given(siteId);
    // If agents share a token, two results may arrive at the same time.
    if (this.#isStopping || this.#kept.has(tokenId)) return void this.#giveBack({ siteId, work });
    const timer = setTimeout(() => {
      this.#kept.delete(tokenId);
      this.#soonInARow.delete(tokenId);
      void this.#giveBack({ siteId, work });
    }, KEPT_MS);
    this.#kept.set(tokenId, { siteId, work, timer });
  }

  takenBy({ tokenId }: Agent): DispatchedWork | null {
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
    if (this.#givenAt.size >= MAX_REMEMBERED) this.#givenAt.clear();
    this.#givenAt.set(siteId, performance.now());
  }

  async prepareToStop(): Promise<void> {
    this.#isStopping = true;
    const all = [...this.#kept.values()];
    this.#kept.clear();
    for (const { timer } of all) clearTimeout(timer);
    await Promise.all(all.map((kept) => this.#giveBack(kept)));
  }

  #count(tokenId: string, isSoon: boolean): void {
    if (this.#soonInARow.size >= MAX_REMEMBERED) this.#soonInARow.clear();
    if (isSoon) this.#soonInARow.set(tokenId, (this.#soonInARow.get(tokenId) ?? 0) + 1);
    else this.#soonInARow.delete(tokenId);
  }

  #giveBack({ siteId, work }: Pick<KeptWork, 'siteId' | 'work'>): Promise<boolean> {
    return givingBack.run(() => this.leasing.giveBack(siteId, work));
  }
}
