import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThan, type Repository } from 'typeorm';
import { bySystem } from '../../../kernel/command-context.js';
import { pollLoop } from '../../../nest/poll-loop.js';
import { DomainRow } from '../../../projections/models/domain.projection.js';
import { ReleaseDomain } from '../remove/release-domain.js';
import { DomainTrail } from './domain-trail.js';

const LOOK_EVERY_MS = 10_000;
const AT_ONCE = 200;

/**
 * Completes the work of processes that exited early: records missing hostname events in the histories of sites, and
 * releases the claims of deleted sites. Several processes can run this concurrently.
 */
@Injectable()
export class UntoldDomains {
  constructor(
    @InjectRepository(DomainRow) private readonly rows: Pick<Repository<DomainRow>, 'find'>,
    private readonly commands: CommandBus,
    private readonly trail: DomainTrail,
  ) {}

  start(signal: AbortSignal) {
    void pollLoop({ name: 'tell_untold_domains', everyMs: LOOK_EVERY_MS, signal }, () => this.tellAll());
  }

  /** Always returns false, so that the poll loop waits for its interval before the next round. */
  async tellAll(): Promise<boolean> {
    for (let last = ''; ; ) {
      const where = { untold: true, id: MoreThan(last) };
      const untold = await this.rows.find({ where, order: { id: 'asc' }, take: AT_ONCE });
      for (const { id, hostname, siteId } of untold) {
        if ((await this.trail.tellSite(hostname, siteId)) === 'gone') await this.#release(hostname, siteId);
        last = id;
      }
      if (untold.length < AT_ONCE) return false;
    }
  }

  async #release(hostname: string, siteId: string) {
    await this.commands.execute(new ReleaseDomain({ context: bySystem(new Date().toISOString()), hostname, siteId }));
  }
}
