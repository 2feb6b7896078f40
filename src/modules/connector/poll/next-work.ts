import { Inject, Injectable } from '@nestjs/common';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import type { Agent } from '../../../tables/connector/connector-tokens.js';
import type { LeasedWork } from '../../../tables/connector/work.js';
import { Leasing } from './leasing.js';

/** How soon a poll follows a result where the agent has nothing else to do, and how long work is kept for it. Milliseconds. */
const KEPT_MS = 50;

/** How often one after the other an agent has to have asked so soon before work is kept for it. */
const EAGER = 10;

type Kept = { readonly agent: Agent; readonly work: LeasedWork; readonly timer: NodeJS.Timeout };

const givingBack = new BackgroundTask('give_back_kept_work');

/**
 * Work that is leased with the result of an agent that has always asked for more at once, for the poll that it sends next:
 * one transaction for both. If no poll comes to this process, the work goes back, and the attempt does not count.
 */
@Injectable()
export class NextWork {
  /** By token; of results that were told to this process. */
  readonly #kept = new Map<string, Kept>();
  readonly #toldAt = new Map<string, number>();
  readonly #soon = new Map<string, number>();

  constructor(@Inject(Leasing) private readonly leasing: Leasing) {}

  /** Whether the agent, whose result has come, will ask for more at once, and nothing is kept for it yet. */
  isWantedBy({ tokenId }: Agent): boolean {
    return (this.#soon.get(tokenId) ?? 0) >= EAGER && !this.#kept.has(tokenId);
  }

  /** The result of the agent is about to be answered; with what it is given next, if anything. */
  told(agent: Agent, work: LeasedWork | null): void {
    const { tokenId } = agent;
    if (this.#toldAt.size > 10_000) this.#forgetAll();
    this.#toldAt.set(tokenId, performance.now());
    if (work === null) return;
    // Two results of one token may have come at once.
    if (this.#kept.has(tokenId)) return void givingBack.run(() => this.leasing.giveBack(agent.siteId, work));
    const timer = setTimeout(() => void this.#giveBack(tokenId), KEPT_MS);
    this.#kept.set(tokenId, { agent, work, timer });
  }

  /** The agent asks for work: what was kept for it, if anything. */
  takenBy({ tokenId }: Agent): LeasedWork | null {
    const toldAt = this.#toldAt.get(tokenId);
    if (toldAt !== undefined) {
      const isSoon = performance.now() - toldAt < KEPT_MS;
      this.#soon.set(tokenId, isSoon ? (this.#soon.get(tokenId) ?? 0) + 1 : 0);
      this.#toldAt.delete(tokenId);
    }
    const kept = this.#kept.get(tokenId);
    if (!kept) return null;
    clearTimeout(kept.timer);
    this.#kept.delete(tokenId);
    return kept.work;
  }

  /** The service stops: nothing is kept any more. */
  async stop(): Promise<void> {
    await Promise.all([...this.#kept.keys()].map((tokenId) => this.#giveBack(tokenId)));
  }

  async #giveBack(tokenId: string): Promise<void> {
    const kept = this.#kept.get(tokenId);
    if (!kept) return;
    clearTimeout(kept.timer);
    this.#kept.delete(tokenId);
    this.#soon.delete(tokenId);
    await givingBack.run(() => this.leasing.giveBack(kept.agent.siteId, kept.work));
  }

  #forgetAll(): void {
    this.#toldAt.clear();
    this.#soon.clear();
  }
}
