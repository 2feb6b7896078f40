import { LOOPBACK } from '../server/hosts/hosts.js';

/**
 * Response headers that do not depend on the status. Every response of this process uses one of these sets
 * (docs/interface/conventions.md, "Response headers").
 */
type HeaderSet = Readonly<Record<string, string>>;

const GUARDED: HeaderSet = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  // Blocks only embedding without CORS: a `fetch` from another origin uses CORS, and this header does not affect it
  // (Fetch standard, 4.8).
  'cross-origin-resource-policy': 'same-origin',
};

const CLOSED = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'";

/** Returns the headers of an API response. */
export const apiHeaders = (requestId: string, baseUrl: string): HeaderSet => ({
  ...ofService(requestId, baseUrl),
  'content-security-policy': `${CLOSED}; form-action 'none'`,
  'referrer-policy': 'no-referrer',
});

/**
 * Returns the headers for one of the service’s own pages: a route with `@Route({ page: true })`. The script of a `live`
 * page may call the API for updates.
 */
export const pageHeaders = (requestId: string, baseUrl: string, isLive = false): HeaderSet =>
  withPolicy(
    ofService(requestId, baseUrl),
    `style-src 'self'; script-src ${sourcesIn(baseUrl, '/assets/')}; ${
      isLive ? `connect-src ${sourcesIn(baseUrl, '/v1/')}; ` : ''
    }form-action 'self'`,
  );

/**
 * Returns the headers for a page on a host other than the service’s. Its only style sheet is inline and has this
 * SHA-256 hash in base64.
 */
export const strangePageHeaders = (requestId: string, baseUrl: string, style: string): HeaderSet =>
  withPolicy(ofService(requestId, baseUrl), `style-src 'sha256-${style}'; form-action 'none'`);

const withPolicy = (headers: HeaderSet, policy: string): HeaderSet => ({
  ...headers,
  'content-security-policy': `${CLOSED}; ${policy}`,
  // With `no-referrer`, Chromium would submit our own forms with `Origin: null`, and they would be refused as forged.
  'referrer-policy': 'same-origin',
});

/**
 * Returns a source list that allows one folder, such as that of our own scripts. Allowing the whole origin would
 * include other people’s content under `/s/`. A browser on this machine may use either of its two names.
 */
function sourcesIn(baseUrl: string, folder: string): string {
  const { protocol, hostname, port } = new URL(baseUrl);
  const names = LOOPBACK.has(hostname) ? ['localhost', '127.0.0.1'] : [hostname];
  return names.map((name) => `${protocol}//${name}${port && `:${port}`}${folder}`).join(' ');
}

const ofService = (requestId: string, baseUrl: string): HeaderSet => ({
  ...GUARDED,
  'x-request-id': requestId,
  ...(baseUrl.startsWith('https:') && { 'strict-transport-security': 'max-age=31536000' }),
});

const PUBLIC_SITE: HeaderSet = { 'x-content-type-options': 'nosniff', 'access-control-allow-origin': '*' };

/**
 * Headers for a public site under the service’s own URL. The sandbox lacks `allow-same-origin`, so the site never has
 * the service’s origin.
 */
export const PATH_FORM: HeaderSet = {
  ...PUBLIC_SITE,
  'content-security-policy':
    'sandbox allow-scripts allow-forms allow-modals allow-popups allow-popups-to-escape-sandbox allow-downloads allow-pointer-lock',
};

/** Headers for a public site on its own host. */
export const HOST_FORM: HeaderSet = { ...PUBLIC_SITE, 'origin-agent-cluster': '?1' };
