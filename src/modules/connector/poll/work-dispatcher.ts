import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Agent } from '../../../accounts/tokens/connector-tokens.js';
import { bySystem } from '../../../kernel/command-context.js';
import { leftToLease } from '../../../kernel/faults/ignored-fault.js';
import { WakeUps } from '../../../kernel/ports/wake-ups.js';
import { Refusal } from '../../../kernel/refusal.js';
import { ConnectorSettings } from '../../../settings/settings.js';
import { WorkQueue } from '../api/work-queue.js';
import { AtOnce } from '../at-once.js';
import type { DispatchedWork } from '../queue/work.js';
import { WorkSettlement } from '../result/work-settlement.js';
import { QUEUED } from '../waiting/waiting-agents.js';
import { LeaseWork, ReturnWork } from '../work-command.js';

export const MAX_WORK_ATTEMPTS = 3;

/**
 * Assigns work to agents. If possible, changes the queue and the log in one transaction. Otherwise, changes the queue
 * first, because it gives each attempt to only one agent, and then the log.
 */
@Injectable()
export class WorkDispatcher {
  constructor(
    private readonly atOnce: AtOnce,
    private readonly commands: CommandBus,
    private readonly queue: WorkQueue,
    private readonly settling: WorkSettlement,
    private readonly wakeUps: WakeUps,
    private readonly settings: ConnectorSettings,
  ) {}

  async take(agent: Agent): Promise<DispatchedWork | null> {
    const { siteId, tokenId, name } = agent;
    for (;;) {
      const atOnce = await this.atOnce.take(agent, MAX_WORK_ATTEMPTS);
      if (atOnce?.attempt === 1) return atOnce;
      const { leaseMs } = this.settings;
      const work = atOnce === undefined ? await this.queue.take(siteId, tokenId, leaseMs, MAX_WORK_ATTEMPTS) : atOnce;
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
        // The log is ahead of the queue: it says that the work has ended or that this attempt has already begun.
        await this.settling.byLog(workId);
        await this.queue.giveBack(workId, attempt);
      }
    }
  }

  async giveBack(siteId: string, { workId, attempt }: DispatchedWork): Promise<void> {
    const context = bySystem(new Date().toISOString());
    await this.commands.execute(new ReturnWork({ context, workId, attempt }));
    if (await this.queue.giveBack(workId, attempt)) this.wakeUps.tell(QUEUED, siteId);
  }
}
