import type { Context, Middleware } from 'oidc-provider';
import { AGENT_SCOPES, AUTHORIZATION_PATHS } from '../../kernel/ports/outside/authorization-server.js';
import { DEFAULT_SCOPE } from './artifact-adapter.js';

/** Of OpenID Connect, which is not spoken: with them a request would be refused for the want of its scope. */
const OF_OPENID = ['acr_values', 'claims', 'claims_locales', 'id_token_hint', 'max_age', 'nonce'];

/** A response mode that does not exist. */
const NONE = 'none';

const known = new Set<string>(AGENT_SCOPES);

/**
 * Makes a request for authorization one that is understood: without a scope it is for the default; of those that are asked
 * for, unknown ones are left out (RFC 6749 section 3.3), as clients ask for `offline_access` and `openid` by habit. The
 * answer is in the query alone: any other mode is refused, as it would take a script, or show the code to one.
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

/** Left as it is where nothing in it is known: then it is refused, with its name. */
function knownIn(scope: string): string {
  const words = scope.split(' ').filter((word) => known.has(word));
  return words.length > 0 ? words.join(' ') : scope;
}

/** The scopes of a request that was let through. */
export const scopesIn = (scope: unknown) =>
  AGENT_SCOPES.filter((each) => typeof scope === 'string' && scope.split(' ').includes(each));
