import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ConnectorTokens } from '../../../accounts/tokens/connector-tokens.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import { leftToCleaning } from '../../../kernel/faults/ignored-fault.js';
import { plural } from '../../../kernel/output/quantities.js';
import { ConnectorHosts } from '../../../kernel/ports/connector-sites.js';
import { WakeUps } from '../../../kernel/ports/wake-ups.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import { WorkQueue } from '../api/work-queue.js';
import { AtOnce, type Invocation } from '../at-once.js';
import { NextWork } from '../poll/next-work.js';
import { SeenAgents } from '../poll/seen-agents.js';
import { QUEUED, WaitingAgents } from '../waiting/waiting-agents.js';
import { QueueWork } from '../work-command.js';

/** How many invocations of one site wait at most. */
export const MOST_WAITING = 1_000;

/** An agent that has not asked for work for so long is not waited for, in milliseconds. */
const UNATTENDED_MS = 60_000;

/** How long new work waits at most for the result of an agent to go with, in milliseconds. */
const COMPANY_MS = 2;

/** Puts work into the queue: at once, or first where no agent sees it, then into the log, then before the agents. */
@Injectable()
export class Invoking {
  constructor(
    @Inject(AtOnce) private readonly atOnce: AtOnce,
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(WorkQueue) private readonly queue: WorkQueue,
    @Inject(ConnectorTokens) private readonly tokens: ConnectorTokens,
    @Inject(ConnectorHosts) private readonly hosts: ConnectorHosts,
    @Inject(WaitingAgents) private readonly agents: WaitingAgents,
    @Inject(SeenAgents) private readonly seen: SeenAgents,
    @Inject(NextWork) private readonly next: NextWork,
    @Inject(WakeUps) private readonly wakeUps: WakeUps,
  ) {}

  /** Refuses with `capability_disabled`, `no_agent`. */
  async assertCanStart(siteId: string): Promise<void> {
    if (!this.hosts.hasConnector(siteId)) refuse('capability_disabled', 'This site’s connector is disabled.');
    if (this.agents.has(siteId) || this.seen.hasJustSeenOneOf(siteId)) return;
    if (await this.tokens.isAttended(siteId, UNATTENDED_MS)) return;
    refuse('no_agent', `None of the site’s agents has polled for work in the last ${UNATTENDED_MS / 1_000} seconds.`);
  }

  /**
   * Resolves when the work cannot be lost any more: to false where it was there already. Harmless to repeat. Refuses
   * with `quota_exceeded`.
   */
  async put(invocation: Invocation, context: CommandContext): Promise<boolean> {
    const { siteId } = invocation;
    // No agent waits for it here, and the one that is at work has its next piece: then there is time.
    const waitMs = this.next.expectsResult(siteId) && !this.agents.has(siteId) ? COMPANY_MS : 0;
    const putting = this.atOnce.put(invocation, MOST_WAITING, context, waitMs);
    const offered = this.atOnce.isPossible ? this.agents.offer(siteId) : null;
    const isAtOnce = await putting;
    const isNew = isAtOnce || (await this.#putByStep(invocation, context));
    // Where an agent of this process has it already, no other need look.
    if (!isAtOnce || !(await offered)) this.wakeUps.tell(QUEUED, siteId);
    return isNew;
  }

  async #putByStep({ workId, siteId, input, priority }: Invocation, context: CommandContext): Promise<boolean> {
    const { text, digest, size } = input;
    if ((await this.queue.store({ workId, siteId, priority, input: text }, MOST_WAITING)) === 'full')
      refuse('quota_exceeded', `This site already has ${plural(MOST_WAITING, 'waiting invocation')}.`, undefined, {
        waiting: MOST_WAITING,
      });
    const queue = new QueueWork({ context, workId, siteId, input: { digest, size }, priority });
    const { events } = await this.commands.execute(queue).catch(async (error: unknown) => {
      // What was refused is not in the log. After any other error it may be: the sweep finds out.
      if (error instanceof Refusal) await this.queue.drop(workId).catch(leftToCleaning);
      throw error;
    });
    await this.queue.show(workId);
    return events.length > 0;
  }
}
