import {
  DomainActivated,
  DomainFailed,
  DomainFound,
  DomainLost,
  DomainMissed,
  type HostnameEvent,
} from '../../../events/domain.events.js';
import type { DomainFindings } from '../../../kernel/ports/outside/domain-checker.js';
import { type Domain, findActiveSite, findClaim } from '../domain.state.js';

export type CheckDomainInput = {
  readonly context: { readonly at: string };
  readonly siteId: string;
  /** The token that the DNS check looked for. The claim may have a different token by now. */
  readonly token: string;
  /** Time at which the domain will be lost if its records are missing now (RFC 3339). */
  readonly lostAt: string;
  readonly found: Pick<DomainFindings, 'verified' | 'leadsHere'>;
};

/**
 * Decides how the findings of a DNS check change a site's claim on a hostname. If two sites claim the hostname, the
 * site whose record was found gets it and the other loses it. Unknown findings change nothing, except that a pending
 * claim past its deadline fails.
 */
export function decideCheck(
  state: Domain,
  { context: { at }, siteId, token, lostAt, found }: CheckDomainInput,
): HostnameEvent[] {
  const claim = findClaim(state, siteId);
  if (!claim || claim.token !== token) return [];
  const isThere = found.verified === true && found.leadsHere === true;
  const isGone = found.verified === false || found.leadsHere === false;

  switch (claim.status) {
    case 'pending': {
      if (at >= claim.until) return [DomainFailed({ siteId })];
      const { redirectTo, visibility, hsts } = claim;
      return isThere
        ? [DomainActivated({ siteId, replaced: findActiveSite(state), redirectTo, visibility, hsts })]
        : [];
    }
    case 'active':
      if (isThere) return claim.until === null ? [] : [DomainFound({ siteId })];
      if (!isGone) return [];
      if (claim.until === null) return [DomainMissed({ siteId, until: lostAt })];
      return at >= claim.until ? [DomainLost({ siteId })] : [];
    default:
      return [];
  }
}
