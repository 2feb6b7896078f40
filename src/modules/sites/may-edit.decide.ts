import { type Given, sameDigest } from '../../kernel/caller.js';
import { refuse } from '../../kernel/refusal.js';
import type { Site } from './site.state.js';

export type LiveSite = Extract<Site, { status: 'live' }>;

/**
 * The checks that come before every rule about a site, in the contract's order: existence, gone, who, may. A site is
 * gone at its very time, whether or not that was recorded yet.
 */
export function mayEdit(site: Site, { caller, at }: Given): LiveSite {
  if (site.status === 'unknown') return refuse('site_not_found');
  if (site.status === 'expired' || hasExpired(site, at)) return refuse('site_expired', 'The site’s time was over.');
  if (site.takenDown) return refuse('taken_down', 'The operator has taken this site down.');
  if (caller.editTokenHash === null)
    return refuse('unauthenticated', 'Send the site’s edit token in x-svc-edit-token.');
  if (site.editTokenHash === null || !sameDigest(caller.editTokenHash, site.editTokenHash)) {
    return refuse('edit_token_invalid', 'This edit token does not belong to this site.');
  }
  return site;
}

/** RFC 3339 in UTC with milliseconds sorts as time does. */
export const hasExpired = ({ expiresAt }: LiveSite, at: string) => expiresAt !== null && at >= expiresAt;
