import { DomainMoved, type HostnameEvent } from '../../../events/domain.events.js';
import { refuse } from '../../../kernel/refusal.js';
import { type Domain, standingClaim } from '../domain.state.js';

export type MoveDomainInput = {
  readonly context: { readonly at: string };
  /** The site that receives the domain. */
  readonly siteId: string;
  readonly hostname: string;
  readonly from: string;
};

/**
 * Moves a site's claim on a hostname to another site of the same owner. The claim keeps its token, so no DNS record has
 * to change and there is no downtime. The redirect and visibility are reset.
 */
export function decideMove(
  state: Domain,
  { context: { at }, siteId: to, hostname, from }: MoveDomainInput,
): HostnameEvent[] {
  const claim = standingClaim(state, from, at);
  const own = standingClaim(state, to, at);
  if (!claim && own) return [];
  if (!claim) return refuse('not_found', `The site named in \`from\` does not have the domain “${hostname}”.`);
  // If the receiving site has an active claim, nothing changes, because a pending claim must not replace an active one.
  if (own?.status === 'active') return [];
  const { token, hsts, status, until } = claim;
  return [DomainMoved({ siteId: from, to, token, hsts, status, until })];
}
