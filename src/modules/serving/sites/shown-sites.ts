import { Inject, Injectable } from '@nestjs/common';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import type { ServerKind } from '../../../events/site/deploy-server.js';
import type { ServedDeploy } from '../../../kernel/ports/served-deploy.js';
import { PRIVATE_SITE } from '../access/private-headers.js';
import { type SiteForm, siteHeaders } from '../responses/site-headers.js';
import type { ServedDomain } from './domain-index.js';
import { PreviewCache } from './previews.js';
import type { ServedSite } from './served-site.js';
import { ServingIndex } from './serving-index.js';
import { stripOrigin, type Target } from './target.js';

/** A site, and the deploy that a URL of the site shows: the live one or an earlier one. */
export type ResolvedSite = {
  readonly site: ServedSite;
  /** Digest of the manifest. Null for a site without a deploy and for a deploy that runs as a server. */
  readonly manifest: string | null;
  /** Server of the shown deploy, or null for a deploy of files. */
  readonly deploy: ServedDeploy | null;
  readonly modifiedAt: number | null;
  readonly noindex: boolean;
  /** Domain that the site was found by, or null if it was not found by a domain. */
  readonly domain: ServedDomain | null;
  readonly hsts: boolean;
};

/** Header that tells browsers to use only https, for domains with `hsts` (RFC 6797). */
const HSTS = { 'strict-transport-security': 'max-age=31536000' };

@Injectable()
export class SiteResolver {
  constructor(
    @Inject(ServingIndex) private readonly index: Pick<ServingIndex, 'site' | 'siteById' | 'siteOn' | 'domains'>,
    @Inject(PreviewCache) private readonly previews: Pick<PreviewCache, 'find'>,
    private readonly urls: ServiceUrls,
  ) {}

  /** Reports whether the hostname is a domain of a site, even if that site was deleted. */
  isDomain(hostname: string): boolean {
    return this.index.domains.at(hostname) !== undefined;
  }

  /** Returns what a URL shows, or null if nothing is published there. */
  async at({ form, slug, hostname, deployId }: Target): Promise<ResolvedSite | null> {
    if (deployId === null) {
      const site = hostname === null ? this.index.site(slug ?? '') : this.index.siteOn(hostname);
      if (!site || !isShownAs(site, form)) return null;
      const { modifiedAt, anonymous, robots } = site;
      const domain = this.index.domains.at(hostname ?? '') ?? null;
      const hsts = domain?.hsts === true && this.urls.baseUrl.startsWith('https:');
      const noindex = anonymous || robots === 'noindex';
      return { site, ...shownOf(site, site), modifiedAt, noindex, domain, hsts };
    }
    const preview = await this.previews.find(deployId);
    const site = preview && this.index.siteById(preview.siteId);
    // A URL under a site's path shows only deploys of that site.
    if (!preview || !site || !isShownAs(site, form) || (slug !== null && this.index.site(slug) !== site)) return null;
    return {
      site,
      ...shownOf(site, { ...preview, deployId }),
      modifiedAt: preview.modifiedAt,
      noindex: true,
      domain: null,
      hsts: false,
    };
  }

  /**
   * Reports whether a server might respond to the request. Always true for a deploy's URL, because the deploy is looked
   * up later.
   */
  canBeServer({ form, slug, hostname, deployId }: Target): boolean {
    if (form === 'path') return false;
    if (deployId !== null) return true;
    const site = hostname === null ? this.index.site(slug ?? '') : this.index.siteOn(hostname);
    return site !== undefined && site.program !== null;
  }

  isFormer({ slug }: Target): boolean {
    const site = this.index.site(slug ?? '');
    return site?.visibility === 'public' && site.slug !== slug;
  }

  /** Returns the equivalent URL on the domain that visitors are redirected to, or null if they are not redirected. */
  redirect({ domain }: ResolvedSite, url: string): string | null {
    const hostname = domain && this.index.domains.redirectOf(domain);
    return hostname && `${this.urls.domain(hostname)}${stripOrigin(url).slice(1)}`;
  }

  newest({ slug }: ServedSite, { form, deployId, prefix, query }: Target, url: string): string {
    const [path = ''] = stripOrigin(url).split('?', 1);
    const within = `${path.slice(prefix.length)}${query}`;
    if (form === 'host') return `${this.urls.site(slug)}${within}`;
    return `${this.urls.sitePath(slug)}${deployId === null ? '' : `@${deployId}/`}${within}`;
  }
}

type ShownDeploy = {
  readonly deployId: string | null;
  readonly manifest: string | null;
  readonly program: ServerKind | null;
};

function shownOf({ siteId, slug }: ServedSite, { deployId, manifest, program: kind }: ShownDeploy) {
  if (kind === null || deployId === null || manifest === null) return { manifest, deploy: null };
  return { manifest: null, deploy: { siteId, slug, deployId, digest: manifest, kind } };
}

export const headersOfResolved = (
  { site, noindex, hsts }: ResolvedSite,
  form: SiteForm,
): Readonly<Record<string, string>> => {
  const headers = site.visibility === 'public' ? siteHeaders(form, noindex) : PRIVATE_SITE;
  return hsts ? { ...headers, ...HSTS } : headers;
};

/**
 * Reports whether the site is shown at this kind of URL. Only public sites are shown under a path of the service: an
 * access cookie there would be a cookie of the service itself.
 */
const isShownAs = ({ visibility }: ServedSite, form: SiteForm) => form !== 'path' || visibility === 'public';
