import { SiteAccessSet, type Visibility } from '../../../events/settings.events.js';
import type { SiteEvent } from '../../../events/site.events.js';
import { expectRevision, type Given } from '../../../kernel/command-context.js';
import { refuse } from '../../../kernel/refusal.js';
import { mayOwn } from '../site/may-edit.decide.js';
import type { Site } from '../site/site.state.js';

export type SetAccess = Given & {
  readonly visibility: Visibility;
  /** Names a password that is kept already; null where none was sent. */
  readonly passwordId: string | null;
  readonly ifRevision: number | null;
};

/**
 * Says who may see the site from now on. A site that asks for a password keeps it until another is sent. Each password
 * that is sent is a new one, also when it is the same again: whoever was let in by the one before has to know it.
 */
export function decideSetAccess(site: Site, command: SetAccess, revision: number): SiteEvent[] {
  const { visibility, passwordId, ifRevision } = command;
  const live = mayOwn(site, command);
  expectRevision(ifRevision, revision, { path: 'deployId', message: live.live?.deployId ?? 'none' });

  const asked = visibility === 'password' ? (passwordId ?? live.passwordId) : null;
  if (visibility === 'password' && asked === null) return refuseWithoutPassword();
  if (visibility === live.visibility && asked === live.passwordId) return [];
  return [SiteAccessSet({ visibility, passwordId: asked })];
}

const refuseWithoutPassword = () =>
  refuse('invalid_request', 'Send the password that visitors are to be asked for.', [
    { path: 'password', message: 'is needed with visibility "password", as the site has none yet' },
  ]);
