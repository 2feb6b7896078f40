import { LOOPBACK } from '../server/hosts/hosts.js';

/** Response headers that do not depend on the status (docs/interface/conventions.md, "Response headers"). */
type HeaderSet = Readonly<Record<string, string>>;

const GUARDED: HeaderSet = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  // `same-origin` blocks only embedding without CORS, so a `fetch` from another origin still works (Fetch standard,
  // 4.8).
  'cross-origin-resource-policy': 'same-origin',
};

const CLOSED = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'";

export const apiHeaders = (requestId: string, baseUrl: string): HeaderSet => ({
  ...ofService(requestId, baseUrl),
  'content-security-policy': `${CLOSED}; form-action 'none'`,
  'referrer-policy': 'no-referrer',
});

/** Headers for a route with `@Route({ page: true })`. The script of a `live` page may call the API. */
export const pageHeaders = (requestId: string, baseUrl: string, isLive = false): HeaderSet =>
  withPolicy(
    ofService(requestId, baseUrl),
    `style-src 'self'; script-src ${sourcesIn(baseUrl, '/assets/')}; ${
      isLive ? `connect-src ${sourcesIn(baseUrl, '/v1/')}; ` : ''
    }form-action 'self'`,
  );

/** Headers for a page on a host other than the service’s. `style` is the SHA-256 hash of its style sheet in base64. */
export const strangePageHeaders = (requestId: string, baseUrl: string, style: string): HeaderSet =>
  withPolicy(ofService(requestId, baseUrl), `style-src 'sha256-${style}'; form-action 'none'`);

const withPolicy = (headers: HeaderSet, policy: string): HeaderSet => ({
  ...headers,
  'content-security-policy': `${CLOSED}; ${policy}`,
  // With `no-referrer`, Chromium would submit our own forms with `Origin: null`, and they would be refused as forged.
  'referrer-policy': 'same-origin',
});

/**
 * Returns the sources for a Content-Security-Policy that allows one folder of this origin. The whole origin would
 * include other people’s content under `/s/`. For a loopback name, lists `localhost` and `127.0.0.1`, because a browser
 * on this machine may use either.
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
 * Headers for a public site under the service’s own URL. The Content-Security-Policy `sandbox` keeps the site out of
 * the service’s origin.
 */
export const PATH_FORM: HeaderSet = {
  ...PUBLIC_SITE,
  'content-security-policy':
    'sandbox allow-scripts allow-forms allow-modals allow-popups allow-popups-to-escape-sandbox allow-downloads allow-pointer-lock',
};

export const HOST_FORM: HeaderSet = { ...PUBLIC_SITE, 'origin-agent-cluster': '?1' };
