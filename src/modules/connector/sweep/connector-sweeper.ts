import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { InjectRepository } from '@nestjs/typeorm';
import { In, type Repository } from 'typeorm';
import { ConnectorTokenStore } from '../../../accounts/tokens/connector-tokens.js';
import { bySystem } from '../../../kernel/command-context.js';
import { WakeUps } from '../../../kernel/ports/wake-ups.js';
import { Refusal } from '../../../kernel/refusal.js';
import { pollLoop } from '../../../nest/poll-loop.js';
import { SiteRow } from '../../../projections/models/site.projection.js';
import { ConnectorSettings } from '../../../settings/settings.js';
import { SiteAccess } from '../../sites/api/site-access.js';
import { WorkQueue } from '../api/work-queue.js';
import { MAX_WORK_ATTEMPTS } from '../poll/work-dispatcher.js';
import type { Leftover } from '../queue/work-repair.js';
import { WorkSettlement } from '../result/work-settlement.js';
import { QUEUED } from '../waiting/waiting-agents.js';
import { ExpireWork, FinishWork } from '../work-command.js';

const DAY_MS = 86_400_000;
/**
 * `EVERY_MS` is the interval between sweeps. After `LEFT_MS`, a change that reached only the queue or only the log
 * counts as interrupted.
 */
const EVERY_MS = 5_000;
const LEFT_MS = 10_000;
const SITES_EVERY_MS = 60_000;

const message = `The agent stopped responding in each of ${MAX_WORK_ATTEMPTS} attempts.`;
const GIVEN_UP = JSON.stringify({ message });

/**
 * Completes steps interrupted by a crash and enforces deadlines: lost work is assigned again or fails, work that no
 * agent has taken expires, and payloads are erased. Several processes can run this concurrently.
 */
@Injectable()
export class ConnectorSweeper {
  constructor(
    private readonly commands: CommandBus,
    private readonly queue: WorkQueue,
    private readonly tokens: ConnectorTokenStore,
    private readonly sites: SiteAccess,
    private readonly settling: WorkSettlement,
    private readonly wakeUps: WakeUps,
    private readonly settings: ConnectorSettings,
    @InjectRepository(SiteRow) private readonly rows: Pick<Repository<SiteRow>, 'find'>,
  ) {}

  start(signal: AbortSignal) {
    const everyMs = Math.min(EVERY_MS, this.settings.leaseMs / 2);
    void pollLoop({ name: 'sweep_connector_work', everyMs, signal }, () => this.sweep());
    void pollLoop({ name: 'sweep_connector_sites', everyMs: SITES_EVERY_MS, signal }, () => this.sweepSites());
  }

  /** @param leftMs time after which an unfinished change counts as interrupted, in milliseconds */
  async sweep(leftMs = LEFT_MS): Promise<false> {
    const { leftovers } = this.queue;
    await leftovers.giveUp(MAX_WORK_ATTEMPTS, { output: GIVEN_UP, digest: hash('sha256', GIVEN_UP) });
    for (const leftover of await leftovers.find(leftMs, DAY_MS)) await this.#finish(leftover);
    for (const siteId of await leftovers.untaken(leftMs)) this.wakeUps.tell(QUEUED, siteId);
    await leftovers.erase(DAY_MS);
    return false;
  }

  /** Ends the work of deleted sites, and deletes its payloads and the sites' tokens. */
  async sweepSites(): Promise<false> {
    const { leftovers } = this.queue;
    const siteIds = await leftovers.sites();
    const live = await this.rows.find({ where: { siteId: In(siteIds), status: 'live' }, select: { siteId: true } });
    const known = new Set(live.map(({ siteId }) => siteId));
    for (const siteId of siteIds) {
      // The read model may lag behind, so look up a missing site in the log.
      if (known.has(siteId) || (await this.sites.find(siteId))) continue;
      for (const workId of await leftovers.openOf(siteId)) await this.#expire(workId, 'site_gone');
      await leftovers.erase(0, siteId);
      await this.tokens.removeAll(siteId);
    }
    return false;
  }

  async #finish(leftover: Leftover): Promise<void> {
    const { workId, siteId } = leftover;
    if (leftover.kind === 'too_old') return this.#expire(workId, 'time');
    const { status } = await this.settling.byLog(workId);
    if (leftover.kind === 'stored') {
      if (status === 'unknown') return this.queue.drop(workId);
      await this.queue.show(workId);
      this.wakeUps.tell(QUEUED, siteId);
    } else if (status === 'leased') await this.#finishOffered(leftover);
  }

  async #finishOffered(offered: Extract<Leftover, { kind: 'offered' }>): Promise<void> {
    const { workId, attempt, tokenId, outcome, output, digest } = offered;
    const context = bySystem(new Date().toISOString());
    const result = { digest, size: Buffer.byteLength(output) };
    try {
      await this.commands.execute(new FinishWork({ context, workId, attempt, tokenId, outcome, result }));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
    await this.settling.byLog(workId);
  }

  async #expire(workId: string, reason: 'time' | 'site_gone'): Promise<void> {
    await this.commands.execute(new ExpireWork({ context: bySystem(new Date().toISOString()), workId, reason }));
    await this.settling.byLog(workId);
  }
}
