import { cleanClientName } from './client-name.js';

/** Maximum number of redirect URIs of a client, more than any real client has. */
const MAX_REDIRECTS = 10;
const MAX_REDIRECT_CHARACTERS = 2_000;

/**
 * Allowed schemes without a dot. They belong to editors that sign in to MCP servers. No other scheme without a dot is
 * allowed, because any program could claim it, and some have a meaning for the browser or the operating system.
 */
const EDITORS = new Set(['cursor:', 'kiro:', 'vscode:', 'vscode-insiders:', 'vscodium:', 'windsurf:', 'zed:']);

/** A private-use scheme, derived from a domain name of the app's developer (RFC 8252 section 7.1). */
const PRIVATE_USE = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:$/;

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

export type MetadataFault = { readonly member: string; readonly message: string };

/**
 * Returns the stored part of a client’s metadata (RFC 7591 section 2): its name and redirect URIs. Everything else is
 * the same for all clients: a public client without a secret that uses codes and refresh tokens. Each counts as a
 * native app, so that a loopback URI can have any port (RFC 8252 section 7.3).
 */
export function clientMetadata(given: Readonly<Record<string, unknown>>): Record<string, unknown> | MetadataFault {
  const { redirect_uris: redirects, client_name: name } = given;
  if (!Array.isArray(redirects) || redirects.length === 0)
    return fault('redirect_uris', 'must be a non-empty array of URLs');
  if (redirects.length > MAX_REDIRECTS) return fault('redirect_uris', `must have at most ${MAX_REDIRECTS} URLs`);
  for (const each of redirects) {
    const message = typeof each === 'string' ? faultOfRedirect(each) : 'must contain only strings';
    if (message !== null) return fault('redirect_uris', message);
  }
  const clientName = typeof name === 'string' ? cleanClientName(name) : '';
  return {
    redirect_uris: redirects,
    ...(clientName !== '' && { client_name: clientName }),
    application_type: 'native',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
}

export const isFault = (value: Record<string, unknown> | MetadataFault): value is MetadataFault =>
  'member' in value && 'message' in value;

/**
 * Returns null if it is safe to redirect a browser to this URI with an authorization code: https, loopback, or an app’s
 * own scheme. Otherwise returns the reason.
 */
function faultOfRedirect(text: string): string | null {
  if (text.length > MAX_REDIRECT_CHARACTERS || !/^[\x21-\x7e]+$/.test(text) || text.includes('\\'))
    return `must not contain URLs longer than ${MAX_REDIRECT_CHARACTERS} characters, or with characters that are not valid in URLs`;
  const url = URL.parse(text);
  if (!url) return 'must contain only absolute URLs';
  if (text.includes('#')) return 'must not contain URLs with a fragment';
  if (url.username !== '' || url.password !== '' || /^[^/?#]*\/\/[^/?#]*@/.test(text))
    return 'must not contain URLs with a user name or password';
  if (url.protocol === 'http:' && !LOOPBACK.has(url.hostname))
    return 'must not contain http URLs, except on localhost, 127.0.0.1 and [::1]';
  if (url.protocol === 'https:' && LOOPBACK.has(url.hostname))
    return 'must not contain https URLs on localhost, 127.0.0.1 or [::1]';
  return isAllowedScheme(url.protocol) ? null : `must not contain ${url.protocol} URLs; ${REMEDY}`;
}

const isAllowedScheme = (scheme: string) =>
  scheme === 'https:' || scheme === 'http:' || EDITORS.has(scheme) || PRIVATE_USE.test(scheme);

const REMEDY =
  'use https, http on localhost, or a private-use scheme that contains a dot, such as com.example.app (RFC 8252, section 7.1)';

const fault = (member: string, message: string): MetadataFault => ({ member, message });
