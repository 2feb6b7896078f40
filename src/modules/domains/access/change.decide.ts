import { type ClaimSettings, DomainChanged, type HostnameEvent } from '../../../events/domain.events.js';
import { type Domain, standingClaim } from '../domain.state.js';
import { refuseUnknown } from '../unknown-domain.rule.js';

export type ChangeDomainInput = {
  readonly context: { readonly at: string };
  readonly siteId: string;
  readonly hostname: string;
} & Partial<Pick<ClaimSettings, 'visibility' | 'hsts'>>;

/** Changes the redirect, visibility or HSTS of a domain. Omitted fields keep their values. */
export function decideChange(
  state: Domain,
  { context: { at }, siteId, hostname, visibility, hsts }: ChangeDomainInput,
): HostnameEvent[] {
  const claim = standingClaim(state, siteId, at) ?? refuseUnknown(hostname);
  const wanted = { visibility: visibility === undefined ? claim.visibility : visibility, hsts: hsts ?? claim.hsts };
  if (wanted.visibility === claim.visibility && wanted.hsts === claim.hsts) return [];
  return [DomainChanged({ siteId, redirectTo: claim.redirectTo, ...wanted })];
}
