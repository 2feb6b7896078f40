import {
  DomainActivated,
  DomainFailed,
  DomainFound,
  DomainLost,
  DomainMissed,
  type HostnameEvent,
} from '../../../events/domain.events.js';
import type { DomainFindings } from '../../../kernel/ports/outside/domain-checker.js';
import { claimOf, type Domain, holderOf } from '../domain.state.js';

export type DomainCheck = {
  readonly context: { readonly at: string };
  readonly siteId: string;
  /** That was looked for: the claim may be another by now. */
  readonly token: string;
  /** When a domain is lost whose records are found to be gone just now (RFC 3339). */
  readonly lostAt: string;
  readonly found: Pick<DomainFindings, 'verified' | 'leadsHere'>;
};

/**
 * What follows from what a check found. DNS decides between two sites that ask for one hostname: the one whose record was
 * found has it, and the site that had it before has lost it. What is not known changes nothing but that time goes by.
 */
export function decideCheck(
  state: Domain,
  { context: { at }, siteId, token, lostAt, found }: DomainCheck,
): HostnameEvent[] {
  const claim = claimOf(state, siteId);
  if (!claim || claim.token !== token) return [];
  const isThere = found.verified === true && found.leadsHere === true;
  const isGone = found.verified === false || found.leadsHere === false;

  switch (claim.status) {
    case 'pending': {
      if (at >= claim.until) return [DomainFailed({ siteId })];
      const { redirectTo, visibility, hsts } = claim;
      return isThere ? [DomainActivated({ siteId, replaced: holderOf(state), redirectTo, visibility, hsts })] : [];
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
