import { type ProgramUse, SiteServers } from '../../../kernel/ports/site-servers.js';
import { refuse } from '../../../kernel/refusal.js';

/** For a service whose workers run no programs. */
export class NoSiteServers extends SiteServers {
  override async use(): Promise<ProgramUse> {
    refuse('server_failed', 'No worker of this service runs programs.');
  }
}
