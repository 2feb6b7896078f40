import { type ClaimSettings, type HostnameEvent, hostnameIn } from '../../../events/domain.events.js';
import type { Recorded } from '../../../kernel/event-store.js';
import type { DomainRow } from '../../../projections/models/domain.projection.js';
import type { ServedSite } from './served-site.js';

/** A hostname that shows a site. Each change makes another object, and nothing else does. */
export type ServedDomain = ClaimSettings & {
  readonly hostname: string;
  readonly siteId: string;
  /** Revision of the last event that changed it. */
  readonly revision: number;
};

/** Hostname → site, of all domains that are active, in memory: the part of the serving index that is about them. */
export class DomainIndex {
  readonly #byName = new Map<string, ServedDomain>();
  /** The site of a domain that has a visibility of its own, as long as neither changes. */
  readonly #shown = new WeakMap<ServedDomain, { readonly of: ServedSite; readonly site: ServedSite }>();

  at(hostname: string): ServedDomain | undefined {
    return this.#byName.get(hostname);
  }

  /** The site as this domain shows it; the same object as long as neither of them changes. */
  shownBy(domain: ServedDomain, site: ServedSite): ServedSite {
    const { visibility } = domain;
    if (visibility === null || visibility === site.visibility) return site;
    const known = this.#shown.get(domain);
    if (known?.of === site) return known.site;
    const shown = { ...site, visibility };
    this.#shown.set(domain, { of: site, site: shown });
    return shown;
  }

  /** The domain to which visitors of this one are sent on: while it is active itself, and goes on to no other. */
  redirectOf({ siteId, redirectTo }: ServedDomain): string | null {
    const target = redirectTo === null ? undefined : this.#byName.get(redirectTo);
    return target?.siteId === siteId && target.redirectTo === null ? target.hostname : null;
  }

  /** An active one, as the read model has it. */
  load({ hostname, siteId, redirectTo, visibility, hsts, revision }: DomainRow) {
    this.#byName.set(hostname, { hostname, siteId, redirectTo, visibility, hsts, revision });
  }

  /** Events that a row has seen are not applied again. */
  apply({ type, data, stream, revision }: Recorded<HostnameEvent>) {
    const hostname = hostnameIn(stream);
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
