import { cleanClientName } from './client-name.js';

/** Of a client. More than any has; each may be as long as an address. */
const MOST_REDIRECTS = 10;
const LONGEST_REDIRECT = 2_000;

/**
 * Schemes of apps that are allowed although they have no dot: editors that are known to sign in to MCP servers. Any other
 * program can claim a short scheme, or it already means something to the browser or the system.
 */
const EDITORS = new Set(['cursor:', 'kiro:', 'vscode:', 'vscode-insiders:', 'vscodium:', 'windsurf:', 'zed:']);

/** A private-use scheme, which an app derives from a domain name that its maker owns (RFC 8252 section 7.1). */
const PRIVATE_USE = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:$/;

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** A fault in what a client says of itself: the member, and what is wrong with it. */
export type MetadataFault = { readonly member: string; readonly message: string };

/**
 * What is kept of what a client says of itself (RFC 7591 section 2): its name and where it is sent back to. The rest is
 * the same for all: a public client without a secret, which gets codes and refresh tokens (RFC 7591 lets a server set
 * this). All are taken for native, so that a loopback address may have another port (RFC 8252 section 7.3).
 */
export function clientMetadata(given: Readonly<Record<string, unknown>>): Record<string, unknown> | MetadataFault {
  const { redirect_uris: redirects, client_name: name } = given;
  if (!Array.isArray(redirects) || redirects.length === 0)
    return fault('redirect_uris', 'must be a non-empty array of URLs');
  if (redirects.length > MOST_REDIRECTS) return fault('redirect_uris', `must have at most ${MOST_REDIRECTS} URLs`);
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

/** Null for a URL that a browser can be sent to with a code: https, http on this machine, or the scheme of an app. */
function faultOfRedirect(text: string): string | null {
  if (text.length > LONGEST_REDIRECT || !/^[\x21-\x7e]+$/.test(text) || text.includes('\\'))
    return `must not contain URLs longer than ${LONGEST_REDIRECT} characters, or with characters that are not valid in URLs`;
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
