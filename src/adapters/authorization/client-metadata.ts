import { cleanClientName } from './client-name.js';

/** More redirect URLs than any real client has. Each of them can have the maximum length. */
const MAX_REDIRECTS = 10;
const MAX_REDIRECT_CHARACTERS = 2_000;

/**
 * Schemes without a dot that are allowed nevertheless: those of editors known to sign in to MCP servers. Other short
 * schemes can be claimed by any program, or already have a meaning for the browser or the operating system.
 */
const EDITORS = new Set(['cursor:', 'kiro:', 'vscode:', 'vscode-insiders:', 'vscodium:', 'windsurf:', 'zed:']);

/** A private-use scheme, which an app derives from a domain name that its maker owns (RFC 8252 section 7.1). */
const PRIVATE_USE = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:$/;

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** A fault in a client’s metadata: the member, and what is wrong with it. */
export type MetadataFault = { readonly member: string; readonly message: string };

/**
 * Returns the part of a client’s metadata (RFC 7591 section 2) that is stored: its name and its redirect URLs.
 * Everything else is the same for all clients, which RFC 7591 allows a server to impose: each is a public client
 * without a secret that uses codes and refresh tokens. All are treated as native apps, so that a loopback address can
 * have any port (RFC 8252 section 7.3).
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
 * Returns null for a URL that is safe to redirect a browser to with a code: https, http on this machine, or an app’s
 * scheme.
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
