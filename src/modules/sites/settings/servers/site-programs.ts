import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { bySystem } from '../../../../kernel/command-context.js';
import { ServerSites } from '../../../../kernel/ports/server-sites.js';
import { isAvailable } from '../../site/assert-access.decide.js';
import { receivesSecrets } from '../../site/receives-secrets.decide.js';
import { SiteCommand } from '../../site/site-command.js';
import { SiteDirectory } from '../../site/site-directory.js';
import { egressHosts } from '../capabilities/egress-hosts.js';
import { SiteSecrets } from '../secrets/site-secrets.js';
import { decideServerCrash } from './crash.decide.js';

class RecordServerCrash extends SiteCommand(decideServerCrash) {}

/** Looks up sites and records crashes for the servers module. */
@Injectable()
export class SitePrograms extends ServerSites {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(SiteDirectory) private readonly directory: SiteDirectory,
    @Inject(SiteSecrets) private readonly secrets: SiteSecrets,
  ) {
    super();
  }

  override async needs({ siteId, deployId, isTrusted = false }: Parameters<ServerSites['needs']>[0]) {
    const { state } = await this.directory.stateOf(siteId);
    const isShown = isAvailable(state, new Date().toISOString());
    if (!isShown) return null;
    const liveId = state.live?.deployId ?? null;
    const receives = receivesSecrets(state, deployId) ?? isTrusted;
    const environment = receives ? await this.secrets.environment(siteId) : new Map<string, string>();
    return { environment, hosts: egressHosts(state), liveId };
  }

  override async recordCrash(siteId: string, deployId: string, reason: string): Promise<void> {
    const context = bySystem(new Date().toISOString());
    await this.commands.execute(new RecordServerCrash({ context, siteId, deployId, reason }));
  }
}
