import { ConnectorTokenIssued, ConnectorTokenRevoked } from '../../../../events/site/settings.events.js';
import type { SiteEvent } from '../../../../events/site/site.events.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { quoteId } from '../../../../kernel/output/quote-id.js';
import { refuse } from '../../../../kernel/refusal.js';
import { assertCanManage } from '../../site/assert-access.rule.js';
import type { ConnectorTokenEntry } from '../../site/state/credentials.state.js';
import type { LiveSite, Site } from '../../site/state/site.state.js';

/**
 * Maximum number of connector tokens per site. Each machine needs one token, and no site is expected to use this many
 * machines.
 */
export const MAX_CONNECTOR_TOKENS = 50;

export type IssueToken = { readonly context: CommandContext; readonly tokenId: string; readonly name: string };

/**
 * Issues a token with which agents can poll for work. Only owners can do this, because agents see everything that the
 * site's pages send.
 */
export function decideIssueToken(site: Site, { context, tokenId, name }: IssueToken): SiteEvent[] {
  const { connectorTokens } = assertCanManage(site, context);
  if (connectorTokens.some((token) => token.tokenId === tokenId)) return [];
  if (connectorTokens.length >= MAX_CONNECTOR_TOKENS)
    return refuse(
      'quota_exceeded',
      `A site can have at most ${MAX_CONNECTOR_TOKENS} connector tokens. Revoke one that you no longer use.`,
    );
  return [ConnectorTokenIssued({ tokenId, name })];
}

export type RevokeToken = { readonly context: CommandContext; readonly tokenId: string };

/** Revokes the token. Refuses with `not_found` if the site has no such token. */
export function decideRevokeToken(site: Site, { context, tokenId }: RevokeToken): SiteEvent[] {
  const token = assertCanManage(site, context).connectorTokens.find((each) => each.tokenId === tokenId);
  if (!token) return refuse('not_found', `This site has no connector token ${quoteId(tokenId)}.`);
  return [ConnectorTokenRevoked({ tokenId, name: token.name })];
}

/** Ends tokens whose creators are no longer owners. Only earlier versions left tokens like these behind. */
export function decideEndUnowned(site: Site): SiteEvent[] {
  if (site.status !== 'live') return [];
  return site.connectorTokens
    .filter((token) => findTokenOwner(site, token) === null)
    .map(({ tokenId, name }) => ConnectorTokenRevoked({ tokenId, name }));
}

/** Reports whether the token was not revoked, and the user who created it is still an owner. */
export const canUseToken = (site: Site, tokenId: string): boolean =>
  site.status === 'live' &&
  site.connectorTokens.some((token) => token.tokenId === tokenId && findTokenOwner(site, token) !== null);

/** Returns the user ID of the owner who created the token, or null if that user is no longer an owner. */
export function findTokenOwner({ members }: LiveSite, { memberId }: ConnectorTokenEntry): string | null {
  const [owner] = Object.entries(members).find(([, each]) => each.memberId === memberId && each.role === 'owner') ?? [];
  return owner ?? null;
}
