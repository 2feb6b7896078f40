import { refuse } from '../../../../kernel/refusal.js';

/** Token prefixes, each followed by 43 digits and a 6-digit checksum. */
const SESSION = /^stele_session_[0-9A-Za-z]{49}$/;

const CONNECTOR = /^stele_connector_[0-9A-Za-z]{49}$/;

const AGENT = /^stele_(agent|refresh)_[0-9A-Za-z]{49}$/;

const ACCESS = /^stele_pat_[0-9A-Za-z]{49}$/;

const EDIT_TOKEN = /^stele_edit_[0-9A-Za-z]{49}$/;

/**
 * Returns the token in an `authorization` header, or null if there is no header. Refuses a header without a token with
 * `unauthenticated`, because a mistake such as an unset variable must not make the request anonymous.
 */
export function parseBearer(authorization: string | undefined): string | null {
  if (authorization === undefined) return null;
  if (authorization.trim() === '')
    return invalid(
      'The Authorization header is empty. Check that the variable with your token is set, or leave the header out.',
    );
  const space = authorization.indexOf(' ');
  const scheme = space < 0 ? authorization : authorization.slice(0, space);
  if (scheme.toLowerCase() !== 'bearer')
    return invalid('The Authorization header must be “Bearer”, a space and a token.');
  const token = space < 0 ? '' : authorization.slice(space).trim();
  return token === ''
    ? invalid(
        'There is no token after “Bearer”. Check that the variable with your token is set, or leave the header out.',
      )
    : token;
}

/** Returns a session token unchanged. Refuses anything else with `unauthenticated` and the reason. */
export function sessionToken(bearer: string): string {
  return SESSION.test(bearer) ? bearer : invalid(faultOf(bearer));
}

export const isAccessToken = (bearer: string) => bearer.startsWith('stele_pat_');

/** Returns a well-formed access token unchanged. Refuses any other with `unauthenticated`. */
export const accessToken = (bearer: string): string =>
  ACCESS.test(bearer) ? bearer : invalid(`The bearer token ${malformed(bearer, 'stele_pat_')}`);

/** Returns a connector token unchanged. Refuses null and anything else with `unauthenticated`. */
export function parseConnectorToken(bearer: string | null): string {
  if (bearer === null) return invalid('Send the agent’s connector token: Authorization: Bearer stele_connector_….');
  if (CONNECTOR.test(bearer)) return bearer;
  if (bearer.startsWith('stele_session_'))
    return invalid('This is a session token. Agents must send a connector token.');
  if (bearer.startsWith('stele_edit_')) return invalid('This is an edit token. Agents must send a connector token.');
  if (isAccessToken(bearer)) return invalid('This is an access token. Agents must send a connector token.');
  return invalid(`The bearer token ${malformed(bearer, 'stele_connector_')}`);
}

/**
 * Returns the token in an `x-svc-edit-token` header, or null if there is no header. Refuses a malformed token with
 * `unauthenticated`. The site’s rule decides whether the token is valid for the site.
 */
export function parseEditToken(header: string | readonly string[] | undefined): string | null {
  if (header === undefined) return null;
  if (typeof header === 'string' && EDIT_TOKEN.test(header)) return header;
  if (header === '')
    return invalid(
      'The header x-svc-edit-token is empty. Check that the variable with your token is set, or leave the header out.',
    );
  if (String(header).startsWith('stele_session_'))
    return invalid('This is a session token. Send it as Authorization: Bearer instead of x-svc-edit-token.');
  if (isAccessToken(String(header)))
    return invalid('This is an access token. Send it as Authorization: Bearer instead of x-svc-edit-token.');
  return invalid(`The token in x-svc-edit-token ${malformed(String(header), 'stele_edit_')}`);
}

function faultOf(bearer: string): string {
  if (bearer.startsWith('stele_edit_'))
    return 'This is an edit token. Send it in the header x-svc-edit-token instead of Authorization.';
  if (CONNECTOR.test(bearer))
    return 'This is a connector token. It is only valid for GET /v1/connector/poll and POST /v1/connector/result/{id}.';
  if (AGENT.test(bearer)) return 'This is the token of a connected app. It is only valid for the MCP endpoint.';
  return `The bearer token ${malformed(bearer, 'stele_session_')}`;
}

function malformed(token: string, prefix: string): string {
  if (/^["'`]|["'`]$/.test(token)) return 'is in quotes. Send it without them.';
  if (token.startsWith(prefix))
    return `is truncated or altered. It must be ${prefix} followed by 49 letters and digits.`;
  return 'is not a token of this service.';
}

const invalid = (detail: string) => refuse('unauthenticated', detail);
