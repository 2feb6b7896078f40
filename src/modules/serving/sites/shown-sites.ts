import { Inject, Injectable } from '@nestjs/common';
import { ServiceUrls } from '../../../http/api/service-urls.js';
import { PRIVATE_SITE } from '../access/private-headers.js';
import { type SiteForm, siteHeaders } from '../answers/site-headers.js';
import { Previews } from './previews.js';
import { type ServedSite, ServingIndex } from './serving-index.js';
import { pathOf, type Target } from './target.js';

/** A site with the deploy of it that an address shows, the live one or a past one. */
export type ResolvedSite = {
  readonly site: ServedSite;
  readonly manifest: string | null;
  readonly modifiedAt: number | null;
  readonly noindex: boolean;
};

/** Finds the site, and the deploy of it, that an address shows. */
@Injectable()
export class SiteResolver {
  constructor(
    @Inject(ServingIndex) private readonly index: ServingIndex,
    @Inject(Previews) private readonly previews: Previews,
    @Inject(ServiceUrls) private readonly urls: ServiceUrls,
  ) {}

  /** The site and deploy at an address; null where nothing is published. */
  async at({ form, slug, deployId }: Target): Promise<ResolvedSite | null> {
    if (deployId === null) {
      const site = this.index.site(slug ?? '');
      return site && isShownAs(site, form)
        ? {
            site,
            manifest: site.manifest,
            modifiedAt: site.modifiedAt,
            noindex: site.anonymous || site.robots === 'noindex',
          }
        : null;
    }
    const preview = await this.previews.find(deployId);
    const site = preview && this.index.siteById(preview.siteId);
    // Under a site's path only that site's own deploys are shown.
    if (!preview || !site || !isShownAs(site, form) || (slug !== null && this.index.site(slug) !== site)) return null;
    return { site, manifest: preview.manifest, modifiedAt: preview.modifiedAt, noindex: true };
  }

  /** Whether it names a public site by a slug that the site had before. */
  isFormer({ slug }: Target): boolean {
    const site = this.index.site(slug ?? '');
    return site?.visibility === 'public' && site.slug !== slug;
  }

  /** This address under the slug that the site has now. */
  newest({ slug }: ServedSite, { form, deployId, prefix, query }: Target, url: string): string {
    const [path = ''] = pathOf(url).split('?', 1);
    const within = `${path.slice(prefix.length)}${query}`;
    if (form === 'host') return `${this.urls.site(slug)}${within}`;
    return `${this.urls.sitePath(slug)}${deployId === null ? '' : `@${deployId}/`}${within}`;
  }
}

export const headersOfResolved = ({ site, noindex }: ResolvedSite, form: SiteForm): Readonly<Record<string, string>> =>
  site.visibility === 'public' ? siteHeaders(form, noindex) : PRIVATE_SITE;

/** The path form shares the service's origin, where a visitor's cookie would be the service's: it has public sites only. */
const isShownAs = ({ visibility }: ServedSite, form: SiteForm) => form !== 'path' || visibility === 'public';
