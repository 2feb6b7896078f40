import type { Caller } from '../../../kernel/command-context.js';
import { canCreateSites } from '../../../kernel/delegation.js';
import { refuse } from '../../../kernel/refusal.js';

/**
 * For what makes a new site. An edit token means a site that is there, so that the slug is misspelt or left out: refuses
 * with `unauthenticated` instead of putting online, for all to see, what was meant for another address. Refuses with
 * `forbidden` a program that was let in to chosen sites, or to read, and the token of one site.
 */
export function assertCanCreateSite({ editTokenHash, delegation }: Caller): void {
  if (editTokenHash !== null)
    refuse('unauthenticated', 'This edit token is of no such site. Name its site in slug, or leave the token out.');
  if (!delegation || canCreateSites(delegation)) return;
  if (delegation.kind === 'token')
    refuse('forbidden', 'This token makes no sites: it is for one that is there, named in slug, or for reading.');
  refuse('forbidden', 'New sites are beyond what this program was given: it may act on chosen sites, or read.');
}
