import { MemberRemoved, MemberRoleChanged, SiteClaimed } from '../../../events/site/member.events.js';
import { SiteRepositoryLinked, SiteRepositoryUnlinked } from '../../../events/site/repository.events.js';
import { SiteDeleted, SiteSlugReleased } from '../../../events/site/settings.events.js';
import { SiteTakenDown, siteIdOf } from '../../../events/site/site.events.js';
import { AccessTokenRevoked, PublisherRemoved } from '../../../events/site/token.events.js';
import type { Recorded } from '../../../kernel/event-store.js';

/** Events of a site after which a job on it may have lost its right. */
const ENDING: ReadonlySet<string> = new Set(
  [
    SiteClaimed,
    MemberRemoved,
    MemberRoleChanged,
    AccessTokenRevoked,
    PublisherRemoved,
    SiteRepositoryLinked,
    SiteRepositoryUnlinked,
    SiteTakenDown,
    SiteDeleted,
    SiteSlugReleased,
  ].map(({ type }) => type),
);

/** Returns the sites on which rights may have ended in these events, each with the position of the last such event. */
export const sitesOfEndedRights = (events: readonly Recorded[]): ReadonlyMap<string, bigint> =>
  new Map(events.flatMap(({ type, stream, position }) => (ENDING.has(type) ? [[siteIdOf(stream), position]] : [])));
