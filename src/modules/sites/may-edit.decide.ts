import { type Caller, sameDigest } from '../../kernel/caller.js';
import { refuse } from '../../kernel/refusal.js';
import type { Site } from './site.state.js';

export type LiveSite = Extract<Site, { status: 'live' }>;

/** The checks that come before every rule about a site, in the contract's order: existence, who, may. */
export function mayEdit(site: Site, caller: Caller): LiveSite {
  if (site.status === 'unknown') return refuse('site_not_found');
  if (caller.editTokenHash === null)
    return refuse('unauthenticated', 'Send the site’s edit token in x-svc-edit-token.');
  if (site.editTokenHash === null || !sameDigest(caller.editTokenHash, site.editTokenHash)) {
    return refuse('edit_token_invalid', 'This edit token does not belong to this site.');
  }
  return site;
}
