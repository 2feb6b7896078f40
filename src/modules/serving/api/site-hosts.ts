import { Injectable } from '@nestjs/common';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { hostClassifier, isIpAddress } from '../../../edge/http/server/hosts/hosts.js';
import { reasonOfAbsence } from '../../../kernel/rights/site-access.js';
import type { ServedSite } from '../sites/served-site.js';
import { ServingIndex } from '../sites/serving-index.js';

/** Determines which hostnames belong to sites. All names are in lower case, without a port or trailing dot. */
@Injectable()
export class SiteHosts {
  readonly #hostKindOf: ReturnType<typeof hostClassifier>;

  constructor(
    urls: ServiceUrls,
    private readonly index: ServingIndex,
  ) {
    this.#hostKindOf = hostClassifier(urls);
  }

  isOf(hostname: string, siteId: string): boolean {
    const host = this.#hostKindOf(hostname);
    switch (host.kind) {
      case 'service':
        return false;
      case 'site':
        return this.index.site(host.slug)?.siteId === siteId;
      case 'preview':
        // Assume that the deploy belongs to the site. Only the database knows the site of a deploy, and few visitors go
        // from a deploy's host to another site.
        return true;
      case 'unknown':
        return this.index.domains.at(hostname)?.siteId === siteId;
    }
  }

  /**
   * Reports whether a certificate can be issued (docs/interface/domains.md, "Custom domains"). Never queries the
   * database, because any client can send any name.
   */
  isCertifiable(hostname: string): boolean {
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

/** A site that was taken down needs a certificate to show its notice. An expired site gets no new certificate. */
const isThere = (site: ServedSite | undefined) =>
  site !== undefined && reasonOfAbsence(site, Date.now()) !== 'site_expired';
