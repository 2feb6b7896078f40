import { Inject, Injectable } from '@nestjs/common';
import { ServiceUrls } from '../../../http/api/service-urls.js';
import { hostClassifier, isIpAddress } from '../../../http/server/hosts.js';
import { CertifiableHosts } from '../../../kernel/ports/certifiable-hosts.js';
import { ServingIndex } from './serving-index.js';

/** The hosts that something is served at: the service’s own, and those of sites. */
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
    if (host.kind === 'service') return !isIpAddress(hostname);
    const site = host.kind === 'site' ? this.index.site(host.slug) : undefined;
    return site !== undefined && !site.takenDown && (site.expiresAt === null || site.expiresAt > Date.now());
  }
}
