import { Inject, Injectable } from '@nestjs/common';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { hostClassifier, isIpAddress } from '../../../edge/http/server/hosts/hosts.js';
import { CertifiableHosts } from '../../../kernel/ports/certifiable-hosts.js';
import type { ServedSite } from './served-site.js';
import { ServingIndex } from './serving-index.js';

/** Hosts that are served: the service’s own, those of sites, and their domains. */
@Injectable()
export class ServedHosts extends CertifiableHosts {
  readonly #hostKindOf: ReturnType<typeof hostClassifier>;

  constructor(
    @Inject(ServiceUrls) urls: ServiceUrls,
    @Inject(ServingIndex) private readonly index: ServingIndex,
  ) {
    super();
    this.#hostKindOf = hostClassifier(urls);
  }

  override has(hostname: string): boolean {
    const host = this.#hostKindOf(hostname);
    switch (host.kind) {
      case 'service':
        return !isIpAddress(hostname);
      case 'site':
        return isThere(this.index.site(host.slug));
      case 'preview':
        return false;
      case 'unknown':
        return this.index.siteOn(hostname) !== undefined;
    }
  }
}

/** A site that was taken down still says so on its host. An expired one does not need a new certificate for that. */
const isThere = (site: ServedSite | undefined) =>
  site !== undefined && (site.expiresAt === null || site.expiresAt > Date.now());
