import { Inject, Injectable } from '@nestjs/common';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { hostClassifier } from '../../../edge/http/server/hosts/hosts.js';
import { SiteHosts } from '../../../kernel/ports/site-hosts.js';
import { ServingIndex } from './serving-index.js';

/** Finds the hosts of a site in the serving index. */
@Injectable()
export class SiteAddresses extends SiteHosts {
  readonly #hostKindOf: ReturnType<typeof hostClassifier>;

  constructor(
    @Inject(ServiceUrls) urls: ServiceUrls,
    @Inject(ServingIndex) private readonly index: ServingIndex,
  ) {
    super();
    this.#hostKindOf = hostClassifier(urls);
  }

  override isOf(hostname: string, siteId: string): boolean {
    const host = this.#hostKindOf(hostname);
    switch (host.kind) {
      case 'service':
        return false;
      case 'site':
        return this.index.site(host.slug)?.siteId === siteId;
      case 'preview':
        // Only the database knows which site a preview belongs to, and visitors hardly ever go from a preview of one
        // site to another site.
        return true;
      case 'unknown':
        return this.index.domains.at(hostname)?.siteId === siteId;
    }
  }
}
