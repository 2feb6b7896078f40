import type { SiteEvent } from '../../../events/site/site.events.js';
import { AccessTokenRevoked, PublisherRemoved } from '../../../events/site/token.events.js';
import type { LiveSite } from '../site/assert-access.decide.js';

/** What ends with a membership: the tokens and publishers that stand on it. */
export const endedWithMember = ({ tokens, publishers }: LiveSite, memberId: string): SiteEvent[] => [
  ...tokens.filter((token) => token.memberId === memberId).map(({ tokenId }) => AccessTokenRevoked({ tokenId })),
  ...publishers
    .filter((publisher) => publisher.memberId === memberId)
    .map(({ publisherId }) => PublisherRemoved({ publisherId })),
];
