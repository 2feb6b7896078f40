import { Injectable } from '@nestjs/common';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { hostClassifier, nameInHost } from '../../../edge/http/server/hosts/hosts.js';
import { refuse } from '../../../kernel/refusal.js';
import { reasonOfAbsence } from '../../../kernel/rights/site-access.js';
import { SiteAccessGate } from '../access/site-access-gate.js';
import { Visitors } from '../access/visitors.js';
import { PreviewCache } from '../sites/previews.js';
import type { ServedSite } from '../sites/served-site.js';
import { ServingIndex } from '../sites/serving-index.js';
import { SiteResolver } from '../sites/shown-sites.js';
import { parseTarget, type Target } from '../sites/target.js';

type NamedSite = Pick<ServedSite, 'siteId' | 'slug'>;

@Injectable()
export class SiteLookup {
  readonly #hostKindOf: ReturnType<typeof hostClassifier>;

  constructor(
    private readonly index: ServingIndex,
    private readonly resolver: SiteResolver,
    private readonly previews: PreviewCache,
    private readonly visitors: Visitors,
    private readonly gate: SiteAccessGate,
    private readonly urls: ServiceUrls,
  ) {
    this.#hostKindOf = hostClassifier(urls);
  }

  /** Returns the site with this slug. Refuses with `site_not_found`, `site_expired` or `taken_down`. */
  getBySlug(slug: string): NamedSite {
    return thereOf(this.index.site(slug));
  }

  /**
   * Returns the site at a host. Refuses with `site_not_found`, `site_expired` or `taken_down`, and with
   * `unauthenticated` if the site is not public and the cookies do not give access to it.
   */
  async getVisited(host: string | undefined, cookie: string | undefined): Promise<NamedSite> {
    const target = this.#targetOf(host) ?? refuse('wrong_host', 'This host does not belong to a site.');
    const shown = await this.resolver.at(target);
    // Refuse former slugs instead of redirecting to the current one, because clients do not repeat a POST after a
    // redirect.
    const named = target.slug === null || target.slug === shown?.site.slug ? shown?.site : undefined;
    const site = thereOf(named ?? refuse('site_not_found', `There is no site at “${host}”.`));
    const isIn = site.visibility === 'public' || (await this.visitors.canEnter(site, this.gate.hostOf(target), cookie));
    return isIn
      ? site
      : refuse('unauthenticated', 'This site is not public. Open it in a browser first to get access.');
  }

  findSlug(siteId: string): string | null {
    return this.index.siteById(siteId)?.slug ?? null;
  }

  hasConnector(siteId: string): boolean {
    return this.index.siteById(siteId)?.capabilities.connector ?? false;
  }

  /** Reports whether the origin is the site's host, one of its domains, or the host of one of its deploys. */
  async isOrigin(siteId: string, origin: string): Promise<boolean> {
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
    if (kind.kind !== 'unknown') return parseTarget(kind, '/');
    const hostname = nameInHost(host);
    return this.resolver.isDomain(hostname) ? parseTarget({ kind: 'domain', hostname }, '/') : null;
  }
}

function thereOf<Site extends ServedSite>(site: Site | undefined): Site {
  if (!site) return refuse('site_not_found');
  const absence = reasonOfAbsence(site, Date.now());
  return absence === null ? site : refuse(absence);
}
