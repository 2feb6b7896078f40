import { Inject, Injectable } from '@nestjs/common';
import { Addresses } from '../../../http/api/service-urls.js';
import { PRIVATE_SITE } from '../access/private-headers.js';
import { type Form, siteHeaders } from '../answers/site-headers.js';
import { Previews } from './previews.js';
import { type ServedSite, ServingIndex } from './serving-index.js';
import { pathOf, type Target } from './target.js';

/** What is shown of a site, live or past. */
export type Shown = {
  readonly site: ServedSite;
  readonly manifest: string | null;
  readonly modifiedAt: number | null;
  readonly noindex: boolean;
};

/** Which site, and which deploy of it, is meant by an address. */
@Injectable()
export class ShownSites {
  constructor(
    @Inject(ServingIndex) private readonly index: ServingIndex,
    @Inject(Previews) private readonly previews: Previews,
    @Inject(Addresses) private readonly addresses: Addresses,
  ) {}

  /** What is published at an address; null when nothing is. */
  async at({ form, slug, deployId }: Target): Promise<Shown | null> {
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

  /** Whether it names a public site by a slug that it had before. */
  isFormer({ slug }: Target): boolean {
    const site = this.index.site(slug ?? '');
    return site?.visibility === 'public' && site.slug !== slug;
  }

  /** The same address under the slug that the site has now. */
  newest({ slug }: ServedSite, { form, deployId, prefix, query }: Target, url: string): string {
    const [path = ''] = pathOf(url).split('?', 1);
    const within = `${path.slice(prefix.length)}${query}`;
    if (form === 'host') return `${this.addresses.site(slug)}${within}`;
    return `${this.addresses.sitePath(slug)}${deployId === null ? '' : `@${deployId}/`}${within}`;
  }
}

export const headersOf = ({ site, noindex }: Shown, form: Form): Readonly<Record<string, string>> =>
  site.visibility === 'public' ? siteHeaders(form, noindex) : PRIVATE_SITE;

/** The path form shares the service's origin, where a visitor's cookie would be the service's: it has public sites only. */
const isShownAs = ({ visibility }: ServedSite, form: Form) => form !== 'path' || visibility === 'public';
