/** The `token` syntax of RFC 9110 section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Headers that only the server can set. Netlify’s list is mostly the same. */
const SERVERS_OWN = new Set([
  'accept-ranges',
  'age',
  'allow',
  'alt-svc',
  'content-length',
  'content-range',
  'date',
  'etag',
  'last-modified',
  'location',
  'server',
  'stele-position',
  'x-request-id',
]);

/** Hop-by-hop headers from RFC 9110 section 7.6.1 and earlier RFCs. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers that could weaken isolation between sites (docs/trials.md, "Untrusted pages beside an API"). */
const ISOLATION = new Set([
  'clear-site-data',
  'origin-agent-cluster',
  'service-worker-allowed',
  'set-cookie',
  'set-cookie2',
]);

/** Headers that could make a proxy in front of us serve its own files or cache private content. */
const TO_PROXIES = /^x-(accel-|sendfile|lighttpd-|litespeed-|reproxy-)/;

/** Returns why a site cannot set or remove a header, or null if it can. `name` must be in lower case. */
export function refusedHeader(name: string): string | null {
  if (name.length > 200 || !TOKEN.test(name)) return 'this is not a valid header name';
  if (name === 'basic-auth') return 'basic-auth is not supported, so this does not protect the pages';
  if (name === 'set-cookie' || name === 'set-cookie2') return 'a site cannot set cookies with headers';
  if (SERVERS_OWN.has(name) || HOP_BY_HOP.has(name)) return `${name} is set by the server`;
  if (ISOLATION.has(name)) return `a site cannot set ${name}`;
  if (name === 'x-content-type-options') return 'x-content-type-options is always nosniff';
  if (TO_PROXIES.test(name)) return `${name} controls proxies, so a site cannot set it`;
  return null;
}

/**
 * Headers that a site can set even if it shares its origin with the API, because each affects a single response.
 * Excluded are headers that browsers remember for the whole origin (strict-transport-security, nel, report-to,
 * accept-ch, use-as-dictionary), and access-control-* headers, which the service sets itself.
 */
const ABOUT_ONE_ANSWER = new Set([
  'cache-control',
  'cdn-cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-security-policy',
  'content-type',
  'cross-origin-embedder-policy',
  'cross-origin-opener-policy',
  'expires',
  'permissions-policy',
  'referrer-policy',
  'vary',
  'x-frame-options',
  'x-robots-tag',
]);

export const isResponseSpecific = (name: string) => ABOUT_ONE_ANSWER.has(name) || name.startsWith('x-');

/**
 * Headers that allow only one value, or whose values could contradict each other. Browsers ignore CORS headers with
 * repeated values, such as `access-control-allow-origin: *, *`.
 */
const SINGLE_VALUED = new Set([
  'access-control-allow-credentials',
  'access-control-allow-origin',
  'access-control-max-age',
  'cache-control',
  'cdn-cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-location',
  'content-type',
  'cross-origin-embedder-policy',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'expires',
  'referrer-policy',
  'refresh',
  'strict-transport-security',
  'surrogate-control',
  'x-content-type-options',
  'x-dns-prefetch-control',
  'x-download-options',
  'x-frame-options',
  'x-permitted-cross-domain-policies',
  'x-xss-protection',
]);

export const isSingleValued = (name: string) => SINGLE_VALUED.has(name);

/** Reports whether the header’s value is a list of directives, which a rule can split across lines. */
export const hasDirectives = (name: string) => name === 'cache-control' || name === 'cdn-cache-control';

/**
 * Headers that describe a file’s content. If a rewrite or an error page shows another file at a path, the rules for
 * that other file determine these headers.
 */
const ABOUT_CONTENT = new Set([
  'cache-control',
  'cdn-cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'expires',
  'surrogate-control',
]);

/**
 * Reports whether a content header affects how browsers treat a file: which type they assume, or whether they download
 * it.
 */
export const changesPresentation = (name: string) => name === 'content-type' || name === 'content-disposition';

export const isAboutContent = (name: string) => ABOUT_CONTENT.has(name);
