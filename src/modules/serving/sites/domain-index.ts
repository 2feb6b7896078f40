import { type ClaimSettings, type HostnameEvent, readHostname } from '../../../events/domain.events.js';
import type { Recorded } from '../../../kernel/event-store.js';
import type { DomainRow } from '../../../projections/models/domain.projection.js';
import type { ServedSite } from './served-site.js';

/** A hostname at which a site is shown. The object is never modified: each change creates a new one. */
export type ServedDomain = ClaimSettings & {
  readonly hostname: string;
  readonly siteId: string;
  readonly revision: number;
};

/** Maps the hostnames of all active domains to sites, in memory. Part of the serving index. */
export class DomainIndex {
  readonly #byName = new Map<string, ServedDomain>();
  /**
   * Copies of sites with the visibility of a domain, by domain. An entry is valid until the domain or the site changes.
   */
  readonly #shown = new WeakMap<ServedDomain, { readonly of: ServedSite; readonly site: ServedSite }>();

  at(hostname: string): ServedDomain | undefined {
    return this.#byName.get(hostname);
  }

  /**
   * Returns the site with the visibility that it has on this domain. Returns the same object until the domain or the
   * site changes.
   */
  shownBy(domain: ServedDomain, site: ServedSite): ServedSite {
    const { visibility } = domain;
    if (visibility === null || visibility === site.visibility) return site;
    const known = this.#shown.get(domain);
    if (known?.of === site) return known.site;
    const shown = { ...site, visibility };
    this.#shown.set(domain, { of: site, site: shown });
    return shown;
  }

  /**
   * Returns the domain to which visitors of this domain are redirected. Returns null if they are not redirected, or if
   * the target is not active or redirects as well.
   */
  redirectOf({ siteId, redirectTo }: ServedDomain): string | null {
    const target = redirectTo === null ? undefined : this.#byName.get(redirectTo);
    return target?.siteId === siteId && target.redirectTo === null ? target.hostname : null;
  }

  load({ hostname, siteId, redirectTo, visibility, hsts, revision }: DomainRow) {
    this.#byName.set(hostname, { hostname, siteId, redirectTo, visibility, hsts, revision });
  }

  /** Applies an event of a hostname. Ignores an event that the row loaded at startup already includes. */
  apply({ type, data, stream, revision }: Recorded<HostnameEvent>) {
    const hostname = readHostname(stream);
    const now = this.#byName.get(hostname);
    if (now && now.revision >= revision) return;
    if (type === 'DomainActivated') {
      const { siteId, redirectTo, visibility, hsts } = data;
      this.#byName.set(hostname, { hostname, siteId, redirectTo, visibility, hsts, revision });
    } else if (now?.siteId === data.siteId) this.#change(now, { type, data } as HostnameEvent, revision);
  }

  #change(now: ServedDomain, { type, data }: HostnameEvent, revision: number) {
    const { hostname } = now;
    if (type === 'DomainChanged') {
      const { redirectTo, visibility, hsts } = data;
      this.#byName.set(hostname, { ...now, redirectTo, visibility, hsts, revision });
    } else if (type === 'DomainMoved') {
      this.#byName.set(hostname, { ...now, siteId: data.to, redirectTo: null, visibility: null, revision });
    } else if (type === 'DomainLost' || type === 'DomainRemoved') {
      this.#byName.delete(hostname);
    }
  }
}
