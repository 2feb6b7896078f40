import { Injectable } from '@nestjs/common';
import type { Agent } from '../../accounts/tokens/connector-tokens.js';
import type { WorkEvent } from '../../events/work.events.js';
import { type ActorContext, bySystem, type CommandContext, toAuthor } from '../../kernel/command-context.js';
import type { NewEvent } from '../../kernel/event-store.js';
import { Ids } from '../../kernel/ids.js';
import { ConnectorSettings } from '../../settings/settings.js';
import { WorkQueue } from './api/work-queue.js';
import { decideQueue } from './invoke/queue.decide.js';
import type { Payload } from './payload.js';
import { decideLease } from './poll/lease.decide.js';
import type { DispatchedWork, Offer } from './queue/work.js';
import { decideFinish } from './result/finish.decide.js';
import type { Work } from './work.state.js';

export type Invocation = {
  readonly workId: string;
  readonly siteId: string;
  readonly input: Payload;
  readonly priority: number;
};

/**
 * Performs the usual steps of a connector invocation: adds it, assigns it once, and ends it with a result. Each step
 * changes the queue's row and records the event in one transaction. If that is not possible, the methods change nothing
 * and report this: the log may be in another database, or the work may be on a later attempt.
 */
@Injectable()
export class AtOnce {
  constructor(
    private readonly queue: WorkQueue,
    private readonly ids: Ids,
    private readonly settings: ConnectorSettings,
  ) {}

  /** False if the log and the rows are in different databases. In that case, the methods do nothing. */
  get isPossible(): boolean {
    return this.queue.withEvents.isPossible;
  }

  /**
   * Tries to add work. Returns whether it was added. May wait up to `waitMs`, so that one transaction can perform
   * several steps.
   */
  async put(
    { workId, siteId, input, priority }: Invocation,
    most: number,
    context: CommandContext,
    waitMs = 0,
  ): Promise<boolean> {
    const { text, digest, size } = input;
    const [queued] = decideQueue({ status: 'unknown' }, { siteId, input: { digest, size }, priority });
    const work = { workId, siteId, priority, input: text };
    return (
      queued !== undefined && this.queue.withEvents.put(work, most, this.#recorded(queued, toAuthor(context)), waitMs)
    );
  }

  /**
   * Assigns the site's next work to the agent and records its first attempt. Returns null if no work is waiting, and
   * undefined if it changed nothing for another reason.
   */
  async take(agent: Agent, attempts: number): Promise<DispatchedWork | null | undefined> {
    const leased = this.#leasedTo(agent);
    const { leaseMs } = this.settings;
    return leased && this.queue.withEvents.take(agent.siteId, agent.tokenId, leaseMs, attempts, leased);
  }

  /** Ends the work with the result of its first attempt. Returns false if it changed nothing. */
  async finish(offer: Offer, size: number): Promise<boolean> {
    const end = this.#endBy(offer, size);
    return end !== undefined && this.queue.withEvents.finish(offer, end);
  }

  /**
   * Ends the work with the result of its first attempt, and assigns the site's next work to the agent. Returns null if
   * only the first of these was possible: no work is waiting, or the next work was already assigned once. Returns
   * undefined if it changed nothing.
   */
  async finishAndTake(
    offer: Offer,
    size: number,
    agent: Agent,
    attempts: number,
  ): Promise<DispatchedWork | null | undefined> {
    const [end, leased] = [this.#endBy(offer, size), this.#leasedTo(agent)];
    const { leaseMs } = this.settings;
    return end && leased && this.queue.withEvents.finishAndTake(offer, end, leaseMs, attempts, leased);
  }

  #endBy({ tokenId, attempt, outcome, digest }: Offer, size: number): NewEvent | undefined {
    if (attempt !== null && attempt !== 1) return undefined;
    const work: Work = { status: 'leased', attempt: 1, tokenId };
    const [end] = decideFinish(work, { attempt: 1, tokenId, outcome, result: { digest, size } });
    return end && this.#recorded(end, bySystem(new Date().toISOString()));
  }

  #leasedTo({ tokenId, name }: Agent): NewEvent | undefined {
    const by = bySystem(new Date().toISOString());
    const until = new Date(Date.parse(by.at) + this.settings.leaseMs).toISOString();
    const [leased] = decideLease({ status: 'queued', attempt: 0 }, { attempt: 1, tokenId, agent: name, until });
    return leased && this.#recorded(leased, by);
  }

  #recorded = (event: WorkEvent, by: ActorContext): NewEvent => ({ ...event, ...by, id: this.ids.make('evt') });
}
