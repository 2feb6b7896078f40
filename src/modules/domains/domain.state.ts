import type { ClaimSettings, HostnameEvent } from '../../events/domain.events.js';
import type { Fold } from '../../kernel/decider.js';

/** A site's claim on a hostname. Times are RFC 3339. */
export type DomainClaim = ClaimSettings & { readonly token: string } & (
    | { readonly status: 'pending'; readonly until: string }
    /**
     * `until` is the time at which the site will lose the domain because DNS records are missing. Null if no record is
     * missing.
     */
    | { readonly status: 'active'; readonly until: string | null }
    | { readonly status: 'lost' | 'failed' }
  );

/** The claims of all sites on one hostname, by site ID, oldest first. At most one is active. */
export type Domain = { readonly claims: Readonly<Record<string, DomainClaim>> };

export const domain: Fold<Domain, HostnameEvent> = {
  name: 'domain',
  version: 1,
  initial: { claims: {} },

  evolve(state, { type, data }) {
    const { siteId } = data;
    if (type === 'DomainAdded') {
      const { token, redirectTo, until } = data;
      const claim: DomainClaim = { status: 'pending', token, until, redirectTo, visibility: null, hsts: false };
      return { claims: { ...without(state, siteId), [siteId]: claim } };
    }
    const claim = findClaim(state, siteId);
    if (!claim) return state;

    switch (type) {
      case 'DomainChanged': {
        const { redirectTo, visibility, hsts } = data;
        return changed(state, siteId, { ...claim, redirectTo, visibility, hsts });
      }
      case 'DomainActivated': {
        const former = data.replaced === null ? state : ended(state, data.replaced, 'lost');
        return changed(former, siteId, { ...claim, status: 'active', until: null });
      }
      case 'DomainMissed':
        return changed(state, siteId, { ...claim, status: 'active', until: data.until });
      case 'DomainFound':
        return changed(state, siteId, { ...claim, status: 'active', until: null });
      case 'DomainLost':
        return ended(state, siteId, 'lost');
      case 'DomainFailed':
        return ended(state, siteId, 'failed');
      case 'DomainMoved': {
        const { to } = data;
        const { [to]: _, ...others } = without(state, siteId);
        return { claims: { ...others, [to]: { ...claim, redirectTo: null, visibility: null } } };
      }
      case 'DomainRemoved':
        return { claims: without(state, siteId) };
      default:
        return state;
    }
  },
};

export const findClaim = ({ claims }: Domain, siteId: string): DomainClaim | undefined =>
  Object.hasOwn(claims, siteId) ? claims[siteId] : undefined;

export const findActiveSite = ({ claims }: Domain): string | null =>
  Object.keys(claims).find((siteId) => claims[siteId]?.status === 'active') ?? null;

/**
 * Returns the site's claim if it is active, or if it is pending and has not expired. Otherwise returns null, even if no
 * event has recorded the expiry yet.
 */
export function standingClaim(state: Domain, siteId: string, at: string) {
  const claim = findClaim(state, siteId);
  if (claim?.status === 'active') return claim;
  return claim?.status === 'pending' && at < claim.until ? claim : null;
}

const changed = ({ claims }: Domain, siteId: string, claim: DomainClaim): Domain => ({
  claims: { ...claims, [siteId]: claim },
});

function ended(state: Domain, siteId: string, status: 'lost' | 'failed'): Domain {
  const claim = findClaim(state, siteId);
  if (!claim) return state;
  const { token, redirectTo, visibility, hsts } = claim;
  return changed(state, siteId, { status, token, redirectTo, visibility, hsts });
}

function without({ claims }: Domain, siteId: string) {
  const { [siteId]: _, ...others } = claims;
  return others;
}
