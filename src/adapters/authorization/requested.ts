import type { Context, Middleware } from 'oidc-provider';
import { AGENT_SCOPES, AUTHORIZATION_PATHS } from '../../kernel/ports/outside/authorization-server.js';
import { DEFAULT_SCOPE } from './artifact-adapter.js';

/** Parameters of OpenID Connect. `oidc-provider` would refuse them in a request without the scope `openid`. */
const OF_OPENID = ['acr_values', 'claims', 'claims_locales', 'id_token_hint', 'max_age', 'nonce'];

/** A response mode that `oidc-provider` does not support and therefore refuses. */
const NONE = 'none';

const known = new Set<string>(AGENT_SCOPES);

/**
 * Adjusts an authorization request before `oidc-provider` checks it. Adds default scopes if there are none, and removes
 * unknown scopes (RFC 6749 section 3.3), because many clients always request `offline_access` and `openid`. Response
 * modes other than `query` are refused: they need a script or expose the code to scripts.
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

/**
 * Removes unknown scopes. If all are unknown, returns the scopes unchanged, so that the error of `oidc-provider` names
 * them.
 */
function knownIn(scope: string): string {
  const words = scope.split(' ').filter((word) => known.has(word));
  return words.length > 0 ? words.join(' ') : scope;
}

export const parseScopes = (scope: unknown) =>
  AGENT_SCOPES.filter((each) => typeof scope === 'string' && scope.split(' ').includes(each));
