import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ConnectorTokenStore } from '../../../accounts/tokens/connector-tokens.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import { leftToCleaning } from '../../../kernel/faults/ignored-fault.js';
import { plural } from '../../../kernel/output/quantities.js';
import { WakeUps } from '../../../kernel/ports/wake-ups.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import { SiteLookup } from '../../serving/api/site-lookup.js';
import { WorkQueue } from '../api/work-queue.js';
import { AtOnce, type Invocation } from '../at-once.js';
import { NextWork } from '../poll/next-work.js';
import { SeenAgents } from '../poll/seen-agents.js';
import { QUEUED, WaitingAgents } from '../waiting/waiting-agents.js';
import { AddWork } from '../work-command.js';

export const MAX_WAITING_WORK = 1_000;

/** Time without a poll after which an agent is considered absent. */
const UNATTENDED_MS = 60_000;

/** Maximum time that new work waits to share a transaction with an agent's result. */
const COMPANY_MS = 2;

/**
 * Queues an invocation in one transaction. If that is not possible, first stores it as a hidden row, then records it in
 * the log, then makes it visible to agents.
 */
@Injectable()
export class InvocationStarter {
  constructor(
    private readonly atOnce: AtOnce,
    private readonly commands: CommandBus,
    private readonly queue: WorkQueue,
    private readonly tokens: ConnectorTokenStore,
    private readonly hosts: SiteLookup,
    private readonly agents: WaitingAgents,
    private readonly seen: SeenAgents,
    private readonly next: NextWork,
    private readonly wakeUps: WakeUps,
  ) {}

  /** Refuses with `capability_disabled` if the connector is off, or with `no_agent` if no agent has polled recently. */
  async assertCanStart(siteId: string): Promise<void> {
    if (!this.hosts.hasConnector(siteId)) refuse('capability_disabled', 'This site’s connector is disabled.');
    if (this.agents.has(siteId) || this.seen.hasJustSeenOneOf(siteId)) return;
    if (await this.tokens.isAttended(siteId, UNATTENDED_MS)) return;
    refuse('no_agent', `None of the site’s agents has polled for work in the last ${UNATTENDED_MS / 1_000} seconds.`);
  }

  /**
   * Queues an invocation. When it is durable, resolves to true, or to false if it was already queued before.
   * Idempotent. Refuses with `quota_exceeded` if too many invocations are waiting.
   */
  async put(invocation: Invocation, context: CommandContext): Promise<boolean> {
    const { siteId } = invocation;
    // At this moment, no agent of this process is waiting for work, and a busy agent already has its next work.
    // Therefore a delay costs nothing.
    const waitMs = this.next.expectsResult(siteId) && !this.agents.has(siteId) ? COMPANY_MS : 0;
    const putting = this.atOnce.put(invocation, MAX_WAITING_WORK, context, waitMs);
    const offered = this.atOnce.isPossible ? this.agents.offer(siteId) : null;
    const isAtOnce = await putting;
    const isNew = isAtOnce || (await this.#putByStep(invocation, context));
    // If an agent of this process already has the work, no other agent needs to poll.
    if (!isAtOnce || !(await offered)) this.wakeUps.tell(QUEUED, siteId);
    return isNew;
  }

  async #putByStep({ workId, siteId, input, priority }: Invocation, context: CommandContext): Promise<boolean> {
    const { text, digest, size } = input;
    if ((await this.queue.store({ workId, siteId, priority, input: text }, MAX_WAITING_WORK)) === 'full')
      refuse('quota_exceeded', `This site already has ${plural(MAX_WAITING_WORK, 'waiting invocation')}.`, undefined, {
        waiting: MAX_WAITING_WORK,
      });
    const queue = new AddWork({ context, workId, siteId, input: { digest, size }, priority });
    const { events } = await this.commands.execute(queue).catch(async (error: unknown) => {
      // A refused invocation is not in the log, so remove it from the queue. After any other error it might be in the
      // log, so leave it to the periodic sweep.
      if (error instanceof Refusal) await this.queue.drop(workId).catch(leftToCleaning);
      throw error;
    });
    await this.queue.show(workId);
    return events.length > 0;
  }
}
