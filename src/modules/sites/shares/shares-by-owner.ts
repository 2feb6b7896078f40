import { Inject, Injectable } from '@nestjs/common';
import { SiteShares } from '../../../kernel/ports/site-shares.js';
import type { Site } from '../site/site.state.js';
import { SiteDirectory } from '../site/site-directory.js';

/** Sites count towards their longest-standing owner; a site without an owner is on its own. */
@Injectable()
export class SharesByOwner extends SiteShares {
  constructor(@Inject(SiteDirectory) private readonly directory: SiteDirectory) {
    super();
  }

  override async shareOf(siteId: string): Promise<string> {
    const userId = longestStandingOwner((await this.directory.stateOf(siteId)).state);
    return userId === null ? `site:${siteId}` : `user:${userId}`;
  }
}

/** The user, or null for a site that has no owner. */
export function longestStandingOwner(state: Site): string | null {
  if (state.status !== 'live') return null;
  const owners = Object.entries(state.members).filter(([, { role }]) => role === 'owner');
  // IDs of members begin with the time at which they became one.
  const [first] = owners.sort(([, one], [, other]) => (one.memberId < other.memberId ? -1 : 1));
  return first?.[0] ?? null;
}
