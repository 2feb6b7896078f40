import type { Caller } from '../../../kernel/command-context.js';
import { refuse } from '../../../kernel/refusal.js';

/**
 * For what makes a new site. An edit token means a site that is there, so that the slug is misspelt or left out: refuses
 * with `unauthenticated` instead of putting online, for all to see, what was meant for another address.
 */
export function expectNoEditToken({ editTokenHash }: Caller): void {
  if (editTokenHash !== null)
    refuse('unauthenticated', 'This edit token is of no such site. Name its site in slug, or leave the token out.');
}
