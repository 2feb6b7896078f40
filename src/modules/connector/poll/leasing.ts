import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Agent } from '../../../accounts/tokens/connector-tokens.js';
import { bySystem } from '../../../kernel/command-context.js';
import { leftToLease } from '../../../kernel/faults/ignored-fault.js';
import { WakeUps } from '../../../kernel/ports/wake-ups.js';
import { Refusal } from '../../../kernel/refusal.js';
import { ConnectorSettings } from '../../../settings/settings.js';
import { WorkQueue } from '../api/work-queue.js';
import { AtOnce } from '../at-once.js';
import type { LeasedWork } from '../queue/work.js';
import { Settling } from '../result/settling.js';
import { QUEUED } from '../waiting/waiting-agents.js';
import { LeaseWork, ReturnWork } from '../work-command.js';

/** How often work is handed out before it has failed. */
export const MOST_ATTEMPTS = 3;

/** Gives work to agents: at once, or in the queue first, so that no two have one attempt, then in the log. */
@Injectable()
export class Leasing {
  constructor(
    @Inject(AtOnce) private readonly atOnce: AtOnce,
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(WorkQueue) private readonly queue: WorkQueue,
    @Inject(Settling) private readonly settling: Settling,
    @Inject(WakeUps) private readonly wakeUps: WakeUps,
    @Inject(ConnectorSettings) private readonly settings: ConnectorSettings,
  ) {}

  /** What is first in the line of the agent's site; null where nothing waits. */
  async take(agent: Agent): Promise<LeasedWork | null> {
    const { siteId, tokenId, name } = agent;
    for (;;) {
      const atOnce = await this.atOnce.take(agent, MOST_ATTEMPTS);
      if (atOnce?.attempt === 1) return atOnce;
      const { leaseMs } = this.settings;
      const work = atOnce === undefined ? await this.queue.take(siteId, tokenId, leaseMs, MOST_ATTEMPTS) : atOnce;
      if (!work) return null;
      const { workId, attempt, until } = work;
      const context = bySystem(new Date().toISOString());
      try {
        await this.commands.execute(
          new LeaseWork({ context, workId, attempt, tokenId, agent: name, until: until.toISOString() }),
        );
        return work;
      } catch (error) {
        if (!(error instanceof Refusal)) {
          await this.queue.giveBack(workId, attempt).catch(leftToLease);
          throw error;
        }
        // The log knows better than the queue what became of it: it is over, or there was another such attempt.
        await this.settling.byLog(workId);
        await this.queue.giveBack(workId, attempt);
      }
    }
  }

  /** The agent was gone before it got the work: the next one has it at once. */
  async giveBack(siteId: string, { workId, attempt }: LeasedWork): Promise<void> {
    const context = bySystem(new Date().toISOString());
    await this.commands.execute(new ReturnWork({ context, workId, attempt }));
    if (await this.queue.giveBack(workId, attempt)) this.wakeUps.tell(QUEUED, siteId);
  }
}
