import type { AgentGrantsTable } from '../../accounts/grants/agent-grants.js';
import { type AgentGrant, AgentGrants, type AgentScope } from '../../kernel/ports/agent-grants.js';
import { AGENT_SCOPES } from '../../kernel/ports/outside/authorization-server.js';
import { refuse } from '../../kernel/refusal.js';
import type { DelegatedRole } from '../../kernel/rights/delegation.js';

/** Grants by the tokens that came of them, read from the table each time: what was ended is over at once. */
export class TokenGrants extends AgentGrants {
  constructor(private readonly grants: AgentGrantsTable) {
    super();
  }

  override async find(token: string, resource: string): Promise<AgentGrant> {
    const found = await this.grants.byToken(token, resource);
    if (!found) return refuse('unauthenticated', 'This access token is unknown, has expired or was revoked.');
    const { grantId, userId, clientId, clientName, sites, scopes: granted } = found.grant;
    // A token may be for less than the grant, and never for more.
    const wanted = found.scope.split(' ');
    const scopes = new Set(AGENT_SCOPES.filter((scope) => granted.includes(scope) && wanted.includes(scope)));
    const memberIds = sites?.map(({ memberId }) => memberId) ?? null;
    return {
      grantId,
      userId,
      clientId,
      clientName,
      scopes,
      siteIds: sites && new Set(sites.map(({ siteId }) => siteId)),
      caller: {
        editTokenHash: null,
        userId,
        delegation: { kind: 'program', id: grantId, clientName, role: roleOf(scopes), memberIds },
      },
    };
  }

  override async assertLasts(grantId: string): Promise<void> {
    if (!(await this.grants.authorized(grantId))) refuse('unauthenticated', 'This app’s access was revoked.');
  }
}

/** The most that scopes come to on a site. */
function roleOf(scopes: ReadonlySet<AgentScope>): DelegatedRole {
  if (scopes.has('manage')) return 'owner';
  return scopes.has('publish') ? 'editor' : 'viewer';
}
