import type { SiteEvent } from '../../../../events/site/site.events.js';
import { AccessTokenIssued, AccessTokenRevoked } from '../../../../events/site/token.events.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { quoteId } from '../../../../kernel/output/quote-id.js';
import { refuse } from '../../../../kernel/refusal.js';
import { assertCanDelegate } from '../../site/assert-access.rule.js';
import type { Site } from '../../site/state/site.state.js';

/**
 * Maximum number of access tokens per site. Each script should have its own token. Expired tokens count until they are
 * revoked.
 */
export const MAX_SITE_TOKENS = 50;

export type IssueSiteTokenInput = {
  readonly context: CommandContext;
  readonly tokenId: string;
  readonly role: 'editor' | 'viewer';
  /** When the token expires, as an RFC 3339 timestamp; null if it does not expire. */
  readonly expiresAt: string | null;
};

/** Issues a token with which a script can act on the site, for as long as the owner who created it is a member. */
export function decideIssueSiteToken(
  site: Site,
  { context, tokenId, role, expiresAt }: IssueSiteTokenInput,
): SiteEvent[] {
  const { tokens, member } = assertCanDelegate(site, context);
  if (tokens.some((token) => token.tokenId === tokenId)) return [];
  if (tokens.length >= MAX_SITE_TOKENS)
    return refuse(
      'quota_exceeded',
      `A site can have at most ${MAX_SITE_TOKENS} access tokens. Revoke one that you no longer use.`,
    );
  return [AccessTokenIssued({ tokenId, memberId: member.memberId, role, expiresAt })];
}

export type SiteTokenRevocation = { readonly context: CommandContext; readonly tokenId: string };

/** Revokes the token. Refuses with `not_found` if the site has no such token. */
export function decideRevokeSiteToken(site: Site, { context, tokenId }: SiteTokenRevocation): SiteEvent[] {
  const { tokens } = assertCanDelegate(site, context);
  if (!tokens.some((token) => token.tokenId === tokenId))
    return refuse('not_found', `This site has no access token ${quoteId(tokenId)}.`);
  return [AccessTokenRevoked({ tokenId })];
}
