import { MemberRemoved, MemberRoleChanged, SiteClaimed } from '../../../events/site/member.events.js';
import { SiteAccessSet, SiteDeleted } from '../../../events/site/settings.events.js';
import { SiteExpired, SiteTakenDown } from '../../../events/site/site.events.js';

/** Events after which a client that watches a log may have no right to it any more. */
export const rightsTypes: ReadonlySet<string> = new Set(
  [SiteClaimed, MemberRemoved, MemberRoleChanged, SiteAccessSet, SiteTakenDown, SiteExpired, SiteDeleted].map(
    ({ type }) => type,
  ),
);
