import { Inject, Injectable } from '@nestjs/common';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import type { ProgramKind } from '../../../events/site/program.js';
import type { ServedProgram } from '../../../kernel/ports/served-program.js';
import { PRIVATE_SITE } from '../access/private-headers.js';
import { type SiteForm, siteHeaders } from '../answers/site-headers.js';
import type { ServedDomain } from './domain-index.js';
import { Previews } from './previews.js';
import type { ServedSite } from './served-site.js';
import { ServingIndex } from './serving-index.js';
import { pathOf, type Target } from './target.js';

/** A site with the deploy of it that an address shows, the live one or a past one. */
export type ResolvedSite = {
  readonly site: ServedSite;
  /** Null for a site that has no deploy, and where the deploy is a program. */
  readonly manifest: string | null;
  /** What answers in the place of files; null where the deploy is files. */
  readonly program: ServedProgram | null;
  readonly modifiedAt: number | null;
  readonly noindex: boolean;
  /** The domain by which it was found; null where another address was given. */
  readonly domain: ServedDomain | null;
  /** Whether browsers are told to come by https alone. */
  readonly hsts: boolean;
};

/** For a year: what `hsts` of a domain promises browsers (RFC 6797). */
const HSTS = { 'strict-transport-security': 'max-age=31536000' };

/** Finds the site, and the deploy of it, that an address shows. */
@Injectable()
export class SiteResolver {
  constructor(
    @Inject(ServingIndex) private readonly index: Pick<ServingIndex, 'site' | 'siteById' | 'siteOn' | 'domains'>,
    @Inject(Previews) private readonly previews: Pick<Previews, 'find'>,
    @Inject(ServiceUrls) private readonly urls: ServiceUrls,
  ) {}

  /** Whether the name shows a site, or did before the site was deleted. */
  isDomain(hostname: string): boolean {
    return this.index.domains.at(hostname) !== undefined;
  }

  /** The site and deploy at an address; null where nothing is published. */
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
    // Under a site's path only that site's own deploys are shown.
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

  /** Whether a program may answer there: what a deploy's own address shows is found out later. */
  canBeServer({ form, slug, hostname, deployId }: Target): boolean {
    if (form === 'path') return false;
    if (deployId !== null) return true;
    const site = hostname === null ? this.index.site(slug ?? '') : this.index.siteOn(hostname);
    return site !== undefined && site.program !== null;
  }

  /** Whether it names a public site by a slug that the site had before. */
  isFormer({ slug }: Target): boolean {
    const site = this.index.site(slug ?? '');
    return site?.visibility === 'public' && site.slug !== slug;
  }

  /** This address on the domain of the site that visitors of this one are sent on to; null where it shows the site itself. */
  redirect({ domain }: ResolvedSite, url: string): string | null {
    const hostname = domain && this.index.domains.redirectOf(domain);
    return hostname && `${this.urls.domain(hostname)}${pathOf(url).slice(1)}`;
  }

  /** This address under the slug that the site has now. */
  newest({ slug }: ServedSite, { form, deployId, prefix, query }: Target, url: string): string {
    const [path = ''] = pathOf(url).split('?', 1);
    const within = `${path.slice(prefix.length)}${query}`;
    if (form === 'host') return `${this.urls.site(slug)}${within}`;
    return `${this.urls.sitePath(slug)}${deployId === null ? '' : `@${deployId}/`}${within}`;
  }
}

type ShownDeploy = {
  readonly deployId: string | null;
  readonly manifest: string | null;
  readonly program: ProgramKind | null;
};

function shownOf({ siteId, slug }: ServedSite, { deployId, manifest, program: kind }: ShownDeploy) {
  if (kind === null || deployId === null || manifest === null) return { manifest, program: null };
  return { manifest: null, program: { siteId, slug, deployId, digest: manifest, kind } };
}

export const headersOfResolved = (
  { site, noindex, hsts }: ResolvedSite,
  form: SiteForm,
): Readonly<Record<string, string>> => {
  const headers = site.visibility === 'public' ? siteHeaders(form, noindex) : PRIVATE_SITE;
  return hsts ? { ...headers, ...HSTS } : headers;
};

/** The path form shares the service's origin, where a visitor's cookie would be the service's: it has public sites only. */
const isShownAs = ({ visibility }: ServedSite, form: SiteForm) => form !== 'path' || visibility === 'public';
