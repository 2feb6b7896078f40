import { Injectable } from '@nestjs/common';
import { OAuthGrants } from '../../../accounts/grants/oauth-grants.js';
import type { OAuthGrant, OAuthScope } from '../../../kernel/ports/oauth-grants.js';
import { AGENT_SCOPES } from '../../../kernel/ports/outside/authorization-server.js';
import { refuse } from '../../../kernel/refusal.js';
import type { DelegatedRole } from '../../../kernel/rights/delegation.js';

/**
 * Finds the grants of access tokens. Each grant is for one resource, so a token for one resource is not valid for
 * another. Grants are read from the table each time, so that revocation takes effect immediately.
 */
@Injectable()
export class TokenGrants {
  constructor(private readonly grants: OAuthGrants) {}

  /**
   * Returns the grant of an access token. Refuses with `unauthenticated` if the token is invalid or is not for
   * `resource`, which is an absolute URL.
   */
  async find(token: string, resource: string): Promise<OAuthGrant> {
    const found = await this.grants.byToken(token, resource);
    if (!found) return refuse('unauthenticated', 'This access token is unknown, has expired or was revoked.');
    const { grantId, userId, clientId, clientName, sites, scopes: granted } = found.grant;
    // A token can have fewer scopes than its grant, but not more.
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

  /**
   * Checks a grant during a long-running call. Refuses with `unauthenticated` if the grant was revoked or has expired.
   */
  async assertLasts(grantId: string): Promise<void> {
    if (!(await this.grants.authorized(grantId))) refuse('unauthenticated', 'This app’s access was revoked.');
  }
}

function roleOf(scopes: ReadonlySet<OAuthScope>): DelegatedRole {
  if (scopes.has('manage')) return 'owner';
  return scopes.has('publish') ? 'editor' : 'viewer';
}
