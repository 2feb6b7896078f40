import type { OnSent } from '../../../edge/http/server/first-handler.js';
import type { ServedDeploy } from '../../../kernel/ports/served-deploy.js';
import { apart } from '../content/apart.js';
import { GenerationalCache } from '../content/generational-cache.js';
import type { ServedDomain } from '../sites/domain-index.js';
import type { ServedSite } from '../sites/served-site.js';
import type { ServerRules } from './server-rules.js';

/**
 * A host on which a server responds to every visitor. The entry is valid as long as `ServingIndex` returns the same
 * object for the site.
 */
export type KnownServerHost = {
  readonly domain: ServedDomain | null;
  readonly slug: string | null;
  readonly site: ServedSite;
  readonly deploy: ServedDeploy;
  readonly rules: ServerRules;
  /** Headers of responses that the service itself sends on this host. */
  readonly headers: Readonly<Record<string, string>>;
  readonly onPageSent: OnSent | null;
  readonly onSent: OnSent | null;
};

/** Number of hosts in each of the cache's two generations. */
const HOSTS = 10_000;

export class ServerHostCache {
  readonly #byHost = new GenerationalCache<KnownServerHost>(HOSTS, () => 1);

  at(host: string): KnownServerHost | undefined {
    return this.#byHost.get(host);
  }

  keep(host: string, known: KnownServerHost) {
    this.#byHost.set(apart(host), known);
  }
}
