import type { Caller } from '../../../kernel/command-context.js';
import { refuse } from '../../../kernel/refusal.js';
import { canCreateSites } from '../../../kernel/rights/delegation.js';

/**
 * Refuses unless the caller can create a site. A request with an edit token is refused with `unauthenticated` rather
 * than published at another URL: every edit token belongs to an existing site, so the request must have misspelt or
 * omitted the slug. Connected apps and access tokens that are limited to selected sites or to reading are refused with
 * `forbidden`.
 */
export function assertCanCreateSite({ editTokenHash, delegation }: Caller): void {
  if (editTokenHash !== null)
    refuse(
      'unauthenticated',
      'An edit token was sent, but `slug` does not name an existing site. Set `slug` to the slug of the site that the token belongs to, or leave out the token.',
    );
  if (!delegation || canCreateSites(delegation)) return;
  if (delegation.kind === 'token')
    refuse('forbidden', 'This access token can’t create sites. Name an existing site in `slug`.');
  refuse(
    'forbidden',
    'This connected app can’t create sites, because its access is limited to selected sites or to reading.',
  );
}
