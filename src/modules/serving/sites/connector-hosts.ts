import { Inject, Injectable } from '@nestjs/common';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { hostClassifier, nameInHost } from '../../../edge/http/server/hosts/hosts.js';
import { ConnectorHosts } from '../../../kernel/ports/connector-sites.js';
import { refuse } from '../../../kernel/refusal.js';
import { SiteAccessGate } from '../access/site-access-gate.js';
import { Visitors } from '../access/visitors.js';
import { Previews } from './previews.js';
import type { ServedSite } from './served-site.js';
import { ServingIndex } from './serving-index.js';
import { SiteResolver } from './shown-sites.js';
import { type Target, targetOf } from './target.js';

/** Sites as their connectors see them, in memory. */
@Injectable()
export class ServedConnectors extends ConnectorHosts {
  readonly #hostKindOf: ReturnType<typeof hostClassifier>;

  constructor(
    @Inject(ServingIndex) private readonly index: ServingIndex,
    @Inject(SiteResolver) private readonly resolver: SiteResolver,
    @Inject(Previews) private readonly previews: Previews,
    @Inject(Visitors) private readonly visitors: Visitors,
    @Inject(SiteAccessGate) private readonly gate: SiteAccessGate,
    @Inject(ServiceUrls) private readonly urls: ServiceUrls,
  ) {
    super();
    this.#hostKindOf = hostClassifier(urls);
  }

  override named(slug: string) {
    return thereOf(this.index.site(slug));
  }

  override async visited(host: string | undefined, cookie: string | undefined) {
    const target = this.#targetOf(host) ?? refuse('wrong_host', 'This host does not belong to a site.');
    const shown = await this.resolver.at(target);
    // Former slugs redirect to the current one, and clients do not repeat a POST after a redirect.
    const site = thereOf(target.slug === null || target.slug === shown?.site.slug ? shown?.site : undefined);
    const isIn = site.visibility === 'public' || (await this.visitors.canEnter(site, this.gate.hostOf(target), cookie));
    return isIn
      ? site
      : refuse('unauthenticated', 'This site is not public. Open it in a browser first to get access.');
  }

  override slugOf(siteId: string) {
    return this.index.siteById(siteId)?.slug ?? null;
  }

  override hasConnector(siteId: string) {
    return this.index.siteById(siteId)?.capabilities.connector ?? false;
  }

  override async isOrigin(siteId: string, origin: string): Promise<boolean> {
    if (!URL.canParse(origin)) return false;
    const { host } = new URL(origin);
    const kind = this.#hostKindOf(host);
    const isAt = (address: string) => new URL(address).origin === origin;
    switch (kind.kind) {
      case 'site':
        return this.index.siteById(siteId)?.slug === kind.slug && isAt(this.urls.site(kind.slug));
      case 'preview':
        return isAt(this.urls.preview(kind.deployId)) && (await this.previews.find(kind.deployId))?.siteId === siteId;
      case 'unknown': {
        const hostname = nameInHost(host);
        return this.index.domains.at(hostname)?.siteId === siteId && isAt(this.urls.domain(hostname));
      }
      case 'service':
        return false;
    }
  }

  #targetOf(host: string | undefined): Target | null {
    const kind = this.#hostKindOf(host);
    if (kind.kind !== 'unknown') return targetOf(kind, '/');
    const hostname = nameInHost(host);
    return this.resolver.isDomain(hostname) ? targetOf({ kind: 'domain', hostname }, '/') : null;
  }
}

function thereOf<Site extends ServedSite>(site: Site | undefined): Site {
  if (!site) return refuse('site_not_found');
  if (site.expiresAt !== null && site.expiresAt <= Date.now())
    return refuse('site_expired', 'This site was published for a limited time and has expired.');
  if (site.takenDown) return refuse('taken_down', 'The operator of this service has taken this site down.');
  return site;
}
