import { type SiteEvent, SiteExpired } from '../../../../events/site/site.events.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { hasExpired } from '../../../../kernel/rights/site-access.js';
import type { Site } from '../../site/state/site.state.js';

export type Expire = { readonly context: Pick<CommandContext, 'at'> };

/** Records that the site has expired. Records nothing before the expiry, or if it is already recorded. */
export function decideExpire(site: Site, { context: { at } }: Expire): SiteEvent[] {
  return site.status === 'live' && hasExpired(site, at) ? [SiteExpired({})] : [];
}
