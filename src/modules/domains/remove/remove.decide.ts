import { DomainRemoved, type HostnameEvent } from '../../../events/domain.events.js';
import { claimOf, type Domain } from '../domain.state.js';
import { refuseUnknown } from '../unknown-domain.decide.js';

/** The site asks for the hostname no more, whatever became of its claim. */
export function decideRemove(state: Domain, { siteId }: { readonly siteId: string }): HostnameEvent[] {
  if (!claimOf(state, siteId)) refuseUnknown();
  return [DomainRemoved({ siteId })];
}

/** The site is gone: others may have the hostname at once. */
export const decideRelease = (state: Domain, { siteId }: { readonly siteId: string }): HostnameEvent[] =>
  claimOf(state, siteId) ? [DomainRemoved({ siteId })] : [];
