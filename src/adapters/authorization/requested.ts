import type { Context, Middleware } from 'oidc-provider';
import { AGENT_SCOPES, AUTHORIZATION_PATHS } from '../../kernel/ports/outside/authorization-server.js';
import { DEFAULT_SCOPE } from './artifact-adapter.js';

/**
 * Parameters of OpenID Connect, which is not supported. With them, the library would refuse a request that lacks the
 * scope `openid`.
 */
const OF_OPENID = ['acr_values', 'claims', 'claims_locales', 'id_token_hint', 'max_age', 'nonce'];

/** A response mode that does not exist, so the library refuses it. */
const NONE = 'none';

const known = new Set<string>(AGENT_SCOPES);

/**
 * Adjusts an authorization request before the library checks it. A request without a scope gets the default one, and
 * unknown scopes are dropped (RFC 6749 section 3.3), because many clients request `offline_access` and `openid` by
 * habit. Any response mode other than `query` is refused, because it would need a script or expose the code to one.
 */
export const normalizeRequest: Middleware = async (context, next) => {
  if (context.path === AUTHORIZATION_PATHS.authorization) context.query = normalized(context.query);
  await next();
};

function normalized(query: Context['query']): Context['query'] {
  const rest = Object.fromEntries(Object.entries(query).filter(([name]) => !OF_OPENID.includes(name)));
  const { scope, response_mode: mode } = rest;
  return {
    ...rest,
    ...(scope === undefined && { scope: DEFAULT_SCOPE }),
    ...(typeof scope === 'string' && { scope: knownIn(scope) }),
    ...(mode !== undefined && mode !== 'query' && { response_mode: NONE }),
  };
}

/** Returns the scope unchanged if none of it is known, so that the library refuses it by name. */
function knownIn(scope: string): string {
  const words = scope.split(' ').filter((word) => known.has(word));
  return words.length > 0 ? words.join(' ') : scope;
}

/** Returns the known scopes of an accepted request. */
export const parseScopes = (scope: unknown) =>
  AGENT_SCOPES.filter((each) => typeof scope === 'string' && scope.split(' ').includes(each));
