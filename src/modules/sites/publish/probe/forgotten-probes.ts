import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { InjectRepository } from '@nestjs/typeorm';
import { Like, type Repository } from 'typeorm';
import { ProbeToken } from '../../../../edge/http/auth/strategies/probe-token.js';
import { SiteForgotten, siteStream } from '../../../../events/site/site.events.js';
import { StreamRetention } from '../../../../kernel/ports/stream-retention.js';
import { probeSlug } from '../../../../kernel/reserved-names.js';
import { ForgetStream } from '../../../../nest/forget-stream.js';
import { pollLoop } from '../../../../nest/poll-loop.js';
import { SiteRow } from '../../../../projections/models/site.projection.js';
import { SiteDirectory } from '../../site/site-directory.js';
import { site } from '../../site/state/site.state.js';
import { DeleteSite } from '../delete/delete.js';

/**
 * Deletes the sites with which the service tested itself on earlier days, and drops the events of sites deleted long
 * ago (docs/interface/streams.md, "Retention").
 */
@Injectable()
export class ForgottenProbes {
  constructor(
    @InjectRepository(SiteRow) private readonly sites: Repository<SiteRow>,
    private readonly commands: CommandBus,
    private readonly directory: SiteDirectory,
    private readonly token: ProbeToken,
    private readonly kept: StreamRetention,
  ) {}

  start(signal: AbortSignal) {
    void pollLoop({ name: 'forget_old_probes', everyMs: this.kept.lookEveryMs, signal }, () => this.#look());
  }

  async #look(): Promise<false> {
    const now = Date.now();
    const at = new Date(now).toISOString();
    const before = new Date(now - this.kept.ms).toISOString();
    const all = await this.sites.find({ where: { slug: probeSlug, siteId: Like('prb\\_%') } });
    const today = await this.directory.find(probeSlug, at);
    const caller = { editTokenHash: this.token.hash, userId: null };
    for (const { siteId, status, takenDown, createdAt } of all) {
      if (siteId === today?.siteId) continue;
      // Skip sites created within the last minute, because they might not have their slug yet.
      if (status === 'live' && !takenDown && createdAt.getTime() < now - 60_000)
        await this.commands.execute(new DeleteSite({ context: { at, caller }, siteId, ifRevision: null }));
      if (status === 'deleted' || takenDown)
        await this.commands.execute(
          new ForgetStream({ stream: siteStream(siteId), fold: site, tombstone: SiteForgotten({}), before }),
        );
    }
    return false;
  }
}
