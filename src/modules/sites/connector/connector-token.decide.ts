import { ConnectorTokenIssued, ConnectorTokenRevoked } from '../../../events/site/settings.events.js';
import type { SiteEvent } from '../../../events/site/site.events.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import { refuse } from '../../../kernel/refusal.js';
import { assertCanManage } from '../site/assert-access.decide.js';
import type { Site } from '../site/site.state.js';

/** More agents than a site has machines; each may poll as often as it likes. */
export const MOST_TOKENS = 50;

export type IssueToken = { readonly context: CommandContext; readonly tokenId: string; readonly name: string };

/** Agents may take work with a token from now on. For owners: what pages of the site send is the agents’ to see. */
export function decideIssueToken(site: Site, { context, tokenId, name }: IssueToken): SiteEvent[] {
  const { connectorTokens } = assertCanManage(site, context);
  if (connectorTokens.some((token) => token.tokenId === tokenId)) return [];
  if (connectorTokens.length >= MOST_TOKENS)
    return refuse(
      'quota_exceeded',
      `A site can have at most ${MOST_TOKENS} connector tokens. Revoke one that is no longer used.`,
    );
  return [ConnectorTokenIssued({ tokenId, name })];
}

export type RevokeToken = { readonly context: CommandContext; readonly tokenId: string };

/** Revokes the token. Refuses with `not_found` if the site has no such token. */
export function decideRevokeToken(site: Site, { context, tokenId }: RevokeToken): SiteEvent[] {
  const token = assertCanManage(site, context).connectorTokens.find((each) => each.tokenId === tokenId);
  if (!token) return refuse('not_found', `This site has no connector token “${tokenId.slice(0, 60)}”.`);
  return [ConnectorTokenRevoked({ tokenId, name: token.name })];
}
