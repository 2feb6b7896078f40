import { SiteRepositoryUnlinked } from '../../../../events/site/repository.events.js';
import { ConnectorTokenRevoked } from '../../../../events/site/settings.events.js';
import type { SiteEvent } from '../../../../events/site/site.events.js';
import { AccessTokenRevoked, PublisherRemoved } from '../../../../events/site/token.events.js';
import type { LiveSite } from '../../site/state/site.state.js';

/** Ends the tokens and publishers that depend on a membership. */
export const endedWithMember = (site: LiveSite, memberId: string): SiteEvent[] => [
  ...endedWithOwnership(site, memberId),
  ...endedTokens(site, memberId),
];

/**
 * Ends the connector tokens of a former owner. Also ends the link to a repository that the former owner might still be
 * able to change. Access tokens remain, because the user's role limits each request made with them.
 */
export const endedWithOwnership = ({ connectorTokens, repository }: LiveSite, memberId: string): SiteEvent[] => [
  ...connectorTokens
    .filter((token) => token.memberId === memberId)
    .map(({ tokenId, name }) => ConnectorTokenRevoked({ tokenId, name })),
  ...(repository?.memberId === memberId ? [SiteRepositoryUnlinked({ linkId: repository.linkId })] : []),
];

const endedTokens = ({ tokens, publishers }: LiveSite, memberId: string): SiteEvent[] => [
  ...tokens.filter((token) => token.memberId === memberId).map(({ tokenId }) => AccessTokenRevoked({ tokenId })),
  ...publishers
    .filter((publisher) => publisher.memberId === memberId)
    .map(({ publisherId }) => PublisherRemoved({ publisherId })),
];
