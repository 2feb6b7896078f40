import { SiteAccessSet, type Visibility } from '../../../../events/site/settings.events.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { refuseInvalid } from '../../../../kernel/faults/schema-faults.js';
import { assertIsOwner } from '../../site/assert-access.rule.js';
import { defineConditionalRule } from '../../site/if-match.rule.js';

export type SetAccess = {
  readonly context: CommandContext;
  readonly visibility: Visibility;
  /** A password that is already stored, or null if none was sent. */
  readonly passwordId: string | null;
  readonly ifRevision: number | null;
};

/**
 * Sets who can see the site. The site keeps its password until a new one is sent. Every password that is sent counts as
 * new, even if it is identical: visitors then have to enter it again.
 */
export const decideSetAccess = defineConditionalRule<SetAccess>(
  'presentation',
  (site, { context, visibility, passwordId }, assertUnchanged) => {
    const live = assertIsOwner(site, context);
    assertUnchanged(live);

    const wanted = visibility === 'password' ? (passwordId ?? live.passwordId) : null;
    if (visibility === 'password' && wanted === null) return refuseWithoutPassword();
    if (visibility === live.visibility && wanted === live.passwordId) return [];
    return [SiteAccessSet({ visibility, passwordId: wanted })];
  },
);

const refuseWithoutPassword = () =>
  refuseInvalid({
    path: 'password',
    message: 'is required when `visibility` is "password", because the site has no password yet',
  });
