import type { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import type { InnerCaller } from '../../../edge/http/inner/inner-caller.js';
import type { OAuthScope } from '../../../kernel/ports/oauth-grants.js';
import { Refusal } from '../../../kernel/refusal.js';
import type { ToolCatalogue } from '../tools/tool-catalogue.js';

/** A step that a client must take first: sign a user in, or request more scopes. */
export type Challenge = {
  readonly refusal: Refusal;
  /** Parameters of `www-authenticate` in addition to the metadata URL. */
  readonly members: Readonly<Record<string, string>>;
};

type ProtocolMessage = {
  readonly method?: unknown;
  readonly params?: { readonly name?: unknown; readonly uri?: unknown };
};

/**
 * Returns the challenge if a message requires sign-in or a scope that was not granted, otherwise null. The challenge is
 * sent with status 401 or 403 rather than as a JSON-RPC error (MCP, "Authorization"). A tool that accepts an edit token
 * never causes a challenge, because a client without sign-in support would not show the model that the edit token is
 * missing.
 */
export function chooseChallenge(message: unknown, { grant }: InnerCaller, catalogue: ToolCatalogue): Challenge | null {
  const needed = neededBy(message, catalogue);
  if (needed === null) return null;
  if (!grant) {
    if (!needed.person) return null;
    const refusal = new Refusal('unauthenticated', needed.person);
    return { refusal, members: { scope: needed.requests.join(' ') } };
  }
  if (grant.scopes.has(needed.scope)) return null;
  const scope = [...new Set([...grant.scopes, needed.scope])].join(' ');
  const refusal = new Refusal('forbidden', `The user has not granted this app the scope \`${needed.scope}\`.`);
  return { refusal, members: { error: 'insufficient_scope', scope } };
}

export const invalidToken = (refusal: Refusal): Challenge => ({ refusal, members: { error: 'invalid_token' } });

type Needed = {
  readonly scope: OAuthScope;
  readonly requests: readonly OAuthScope[];
  /** The reason why sign-in is required, or null if it is not. */
  readonly person: string | null;
};

function neededBy(message: unknown, catalogue: ToolCatalogue): Needed | null {
  const { method, params } = (typeof message === 'object' && message !== null ? message : {}) as ProtocolMessage;
  if (method === 'resources/read' && typeof params?.uri === 'string' && params.uri.startsWith('stele:'))
    return {
      scope: 'read',
      requests: ['read'],
      person: 'Reading a site’s files and history requires sign-in and a role on the site.',
    };
  const entry = method === 'tools/call' ? catalogue.find(params?.name) : null;
  if (!entry) return null;
  const { name, needs, scope, requests = [scope] } = entry.tool;
  return { scope, requests, person: needs === 'person' ? `${name} requires sign-in.` : null };
}

/** Returns the URL of the document that describes the MCP endpoint as a protected resource (RFC 9728 section 3.1). */
export function resourceMetadataUrl({ baseUrl, mcpUrl }: Pick<ServiceUrls, 'baseUrl' | 'mcpUrl'>): string {
  return `${baseUrl}/.well-known/oauth-protected-resource${new URL(mcpUrl).pathname}`;
}

/** Formats a `www-authenticate` header (RFC 6750 section 3, RFC 9728 section 5.1). */
export const challengeHeader = (urls: ServiceUrls, { members }: Challenge): string =>
  `Bearer ${Object.entries({ ...members, resource_metadata: resourceMetadataUrl(urls) })
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ')}`;
