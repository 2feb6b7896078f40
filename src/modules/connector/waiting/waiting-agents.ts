import { Injectable } from '@nestjs/common';
import { type Agent, TOKEN_REVOKED } from '../../../accounts/tokens/connector-tokens.js';
import { WakeUps } from '../../../kernel/ports/wake-ups.js';
import type { PreparesToStop } from '../../../nest/stopping.js';

/** Wake-up subject: a site has new work. */
export const QUEUED = 'work-queued';

class WaitingPoll {
  /** Whether the poll was woken since it last looked for work. */
  #isWoken = false;
  #isOver = false;
  #proceed: (() => void) | null = null;
  #tellFound: ((found: boolean) => void) | null = null;

  constructor(
    readonly agent: Agent,
    private readonly agents: WaitingAgents,
  ) {}

  get isWoken() {
    return this.#isWoken;
  }

  wake(): void {
    this.#isWoken = true;
    this.#proceed?.();
  }

  /** Whether the poll has found no work and is waiting. */
  get isIdle() {
    return this.#proceed !== null && !this.#isWoken && !this.#isOver;
  }

  /** Wakes this idle poll, so that it looks for work immediately. Resolves to whether it found work. */
  wakeToLook(): Promise<boolean> {
    const found = new Promise<boolean>((resolve) => {
      this.#tellFound = resolve;
    });
    this.wake();
    return found;
  }

  looked(found: boolean): void {
    this.#tellFound?.(found);
    this.#tellFound = null;
  }

  readonly end = (): void => {
    this.#isOver = true;
    this.#proceed?.();
  };

  /** Resolves to true when the poll should look for work again, or to false when the poll has ended. */
  async next(): Promise<boolean> {
    if (!this.#isWoken && !this.#isOver)
      await new Promise<void>((resolve) => {
        this.#proceed = resolve;
      });
    this.#proceed = null;
    if (this.#isOver) return false;
    this.#isWoken = false;
    return true;
  }

  /** Unregisters the poll. If the poll was woken but did not look for work, wakes another poll of the site instead. */
  leave(hasLooked: boolean): void {
    const { siteId } = this.agent;
    this.looked(false);
    this.agents.leave(siteId, this);
    if (this.#isWoken || !hasLooked) this.agents.wake(siteId);
  }
}

/**
 * Agents' polls that wait in this process without querying the database. New work wakes the poll that has waited
 * longest.
 */
@Injectable()
export class WaitingAgents implements PreparesToStop {
  readonly #bySite = new Map<string, Set<WaitingPoll>>();
  #isStopping = false;

  constructor(wakeUps: WakeUps) {
    wakeUps.listen(QUEUED, (siteId) => {
      if (siteId !== null) return this.wake(siteId);
      for (const polls of this.#bySite.values()) for (const poll of polls) poll.wake();
    });
    wakeUps.listen(TOKEN_REVOKED, (tokenId) => {
      if (tokenId !== null) this.#endOf(tokenId);
    });
  }

  get size(): number {
    return [...this.#bySite.values()].reduce((sum, polls) => sum + polls.size, 0);
  }

  has(siteId: string): boolean {
    return this.#bySite.has(siteId);
  }

  /**
   * Ends the token's polls. Then wakes the site's other polls, because the ended ones may have been woken for waiting
   * work.
   */
  #endOf(tokenId: string): void {
    for (const polls of this.#bySite.values()) {
      const ended = [...polls].filter(({ agent }) => agent.tokenId === tokenId);
      for (const poll of ended) poll.end();
      if (ended.length > 0) for (const poll of polls) if (!ended.includes(poll)) poll.wake();
    }
  }

  /**
   * Calls `look` immediately and after each wake-up of the site, until it finds something. Resolves to null after `ms`
   * milliseconds, or when `gone` aborts or the service stops.
   */
  async until<Found>(
    agent: Agent,
    ms: number,
    gone: AbortSignal,
    look: () => Promise<Found | null>,
  ): Promise<Found | null> {
    const { siteId } = agent;
    const poll = new WaitingPoll(agent, this);
    const polls = this.#bySite.get(siteId) ?? new Set();
    this.#bySite.set(siteId, polls.add(poll));
    const timer = setTimeout(poll.end, ms);
    gone.addEventListener('abort', poll.end, { once: true });
    let hasLooked = false;
    try {
      for (;;) {
        if (gone.aborted) return null;
        hasLooked = false;
        const found = await look();
        hasLooked = true;
        poll.looked(found !== null);
        if (found !== null || this.#isStopping || !(await poll.next())) return found;
      }
    } finally {
      clearTimeout(timer);
      gone.removeEventListener('abort', poll.end);
      poll.leave(hasLooked);
    }
  }

  /** Wakes the poll that has waited longest and has not been woken yet. */
  wake(siteId: string): void {
    for (const poll of this.#bySite.get(siteId) ?? []) {
      if (poll.isWoken) continue;
      poll.wake();
      return;
    }
  }

  /**
   * Wakes the idle poll that has waited longest, while the insert of new work is still in progress. The poll's query
   * can thus run in the same transaction as the insert. Resolves to whether the poll found work. Returns null if this
   * process has no idle poll.
   */
  offer(siteId: string): Promise<boolean> | null {
    for (const poll of this.#bySite.get(siteId) ?? []) if (poll.isIdle) return poll.wakeToLook();
    return null;
  }

  leave(siteId: string, poll: WaitingPoll): void {
    const polls = this.#bySite.get(siteId);
    polls?.delete(poll);
    if (polls?.size === 0) this.#bySite.delete(siteId);
  }

  prepareToStop(): void {
    this.#isStopping = true;
    for (const polls of this.#bySite.values()) for (const poll of polls) poll.end();
  }
}
