import { LOOPBACK } from '../server/hosts/hosts.js';

/**
 * Headers of a response, whatever its status. Every response of the process has one of these sets
 * (docs/interface/conventions.md, "Response headers").
 */
type HeaderSet = Readonly<Record<string, string>>;

const GUARDED: HeaderSet = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  // Blocks only embedding without CORS: a `fetch` from another origin uses CORS, which this header does not affect
  // (Fetch standard, 4.8).
  'cross-origin-resource-policy': 'same-origin',
};

const CLOSED = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'";

/** Headers of an API response. */
export const apiHeaders = (requestId: string, baseUrl: string): HeaderSet => ({
  ...ofService(requestId, baseUrl),
  'content-security-policy': `${CLOSED}; form-action 'none'`,
  'referrer-policy': 'no-referrer',
});

/**
 * Headers of one of the service’s own pages: a route with `@Route({ page: true })`. The script of a `live` page may
 * call the API for updates.
 */
export const pageHeaders = (requestId: string, baseUrl: string, isLive = false): HeaderSet =>
  withPolicy(
    ofService(requestId, baseUrl),
    `style-src 'self'; script-src ${sourcesIn(baseUrl, '/assets/')}; ${
      isLive ? `connect-src ${sourcesIn(baseUrl, '/v1/')}; ` : ''
    }form-action 'self'`,
  );

/** Headers of a page on a host that is not the service’s. Its only style is inline, with this SHA-256 in base64. */
export const strangePageHeaders = (requestId: string, baseUrl: string, style: string): HeaderSet =>
  withPolicy(ofService(requestId, baseUrl), `style-src 'sha256-${style}'; form-action 'none'`);

const withPolicy = (headers: HeaderSet, policy: string): HeaderSet => ({
  ...headers,
  'content-security-policy': `${CLOSED}; ${policy}`,
  // With `no-referrer`, Chromium submits our own forms with `Origin: null`, and they would be refused as forged.
  'referrer-policy': 'same-origin',
});

/**
 * One folder, such as that of our own scripts, instead of the whole origin, which shows other people’s content under
 * `/s/`. A browser on this machine may use either of its two names.
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
 * Headers of a public site under the service’s own URL. Without `allow-same-origin`, its sandbox never has the
 * service’s origin.
 */
export const PATH_FORM: HeaderSet = {
  ...PUBLIC_SITE,
  'content-security-policy':
    'sandbox allow-scripts allow-forms allow-modals allow-popups allow-popups-to-escape-sandbox allow-downloads allow-pointer-lock',
};

/** Headers of a public site on its own host. */
export const HOST_FORM: HeaderSet = { ...PUBLIC_SITE, 'origin-agent-cluster': '?1' };
