import { DomainRemoved, type HostnameEvent } from '../../../events/domain.events.js';
import { type Domain, findClaim } from '../domain.state.js';
import { refuseUnknown } from '../unknown-domain.rule.js';

export function decideRemove(
  state: Domain,
  { siteId, hostname }: { readonly siteId: string; readonly hostname: string },
): HostnameEvent[] {
  if (!findClaim(state, siteId)) refuseUnknown(hostname);
  return [DomainRemoved({ siteId })];
}

/** Releases the hostname of a deleted site, so that others can use it immediately. */
export const decideRelease = (state: Domain, { siteId }: { readonly siteId: string }): HostnameEvent[] =>
  findClaim(state, siteId) ? [DomainRemoved({ siteId })] : [];
