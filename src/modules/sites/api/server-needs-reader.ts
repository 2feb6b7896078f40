import { Injectable } from '@nestjs/common';
import type { ServedDeploy } from '../../../kernel/ports/served-deploy.js';
import { egressHosts } from '../settings/capabilities/egress-hosts.js';
import { SiteSecrets } from '../settings/secrets/site-secrets.js';
import { isAvailable } from '../site/assert-access.rule.js';
import { receivesSecrets } from '../site/receives-secrets.rule.js';
import { SiteDirectory } from '../site/site-directory.js';

export type ServerNeeds = {
  /** Secrets of the site by name. Empty if the deploy was not built from a trusted source. */
  readonly environment: ReadonlyMap<string, string>;
  /** The only hosts that the server can connect to. Empty if the `egress` capability is off. */
  readonly hosts: readonly string[];
  readonly liveId: string | null;
};

@Injectable()
export class ServerNeedsReader {
  constructor(
    private readonly directory: SiteDirectory,
    private readonly secrets: SiteSecrets,
  ) {}

  /** Returns the data for a server, or null if the site no longer exists or is unavailable to visitors. */
  async find(server: Pick<ServedDeploy, 'siteId' | 'deployId' | 'isTrusted'>): Promise<ServerNeeds | null> {
    const { siteId, deployId, isTrusted = false } = server;
    const { state } = await this.directory.stateOf(siteId);
    if (!isAvailable(state, new Date().toISOString())) return null;
    const receives = receivesSecrets(state, deployId) ?? isTrusted;
    const environment = receives ? await this.secrets.environment(siteId) : new Map<string, string>();
    return { environment, hosts: egressHosts(state), liveId: state.live?.deployId ?? null };
  }
}
