import { Refusal } from '../../../dist/kernel/refusal.js';

export const PREFIX = 'test_agent_';

/**
 * Grants that stand in their own tokens: what a test says of one holds, at the resource that it names. It stands where
 * the service has its own (`test-grants.mjs`), so that tools are tried before, and without, signing in by a browser.
 */
export class NoAgentGrants {
  async find(token, resource) {
    if (!token.startsWith(PREFIX)) throw new Refusal('unauthenticated', 'This token is unknown.');
    const grant = JSON.parse(Buffer.from(token.slice(PREFIX.length), 'base64url').toString('utf8'));
    if (grant.resource !== resource) throw new Refusal('unauthenticated', 'This token is for another resource.');
    return {
      grantId: grant.grantId,
      userId: grant.userId,
      clientId: 'test-client',
      clientName: 'A test',
      scopes: new Set(grant.scopes),
      siteIds: null,
      caller: { userId: grant.userId, editTokenHash: null },
    };
  }
}
