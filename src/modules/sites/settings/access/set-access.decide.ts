import { SiteAccessSet, type Visibility } from '../../../../events/site/settings.events.js';
import type { SiteEvent } from '../../../../events/site/site.events.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { refuseInvalid } from '../../../../kernel/faults/schema-faults.js';
import { assertIsOwner } from '../../site/assert-access.decide.js';
import { assertUnchanged } from '../../site/assert-unchanged.decide.js';
import type { Site } from '../../site/site.state.js';

export type SetAccess = {
  readonly context: CommandContext;
  readonly visibility: Visibility;
  /** Names a password that is kept already; null where none was sent. */
  readonly passwordId: string | null;
  readonly ifRevision: number | null;
};

/**
 * Says who may see the site from now on. A site that asks for a password keeps it until another is sent. Each password
 * that is sent counts as a new one, even if it is equal: visitors who gave the one before have to give it again.
 */
export function decideSetAccess(
  site: Site,
  { context, visibility, passwordId, ifRevision }: SetAccess,
  revision: number,
): SiteEvent[] {
  const live = assertIsOwner(site, context);
  assertUnchanged(live, 'presentation', { ifRevision, revision });

  const wanted = visibility === 'password' ? (passwordId ?? live.passwordId) : null;
  if (visibility === 'password' && wanted === null) return refuseWithoutPassword();
  if (visibility === live.visibility && wanted === live.passwordId) return [];
  return [SiteAccessSet({ visibility, passwordId: wanted })];
}

const refuseWithoutPassword = () =>
  refuseInvalid({
    path: 'password',
    message: 'is required when `visibility` is "password", because the site has no password yet',
  });
