import { byName } from '../../../edge/http/proxy/name-cache.js';
import { canSetCookie } from '../../../edge/http/proxy/own-cookies.js';
import { buildResponseFields, type ResponseFields } from '../../../edge/http/proxy/response-fields.js';
import type { ResponseHead } from '../../../edge/http/proxy/response-head.js';

/** Changes that are made to a server's responses before visitors receive them. */
export type ServerRules = {
  /** Headers added to every response, as alternating names and values. */
  readonly added: readonly string[];
  /** Whether only some visitors can see the site, so that its responses must be kept out of shared caches. */
  readonly isPrivate: boolean;
};

/**
 * Headers, in lower case, that a server can't set, because they isolate the site, are set by the service, or refer to
 * other ports or protocols of the host.
 */
const NEVER: ReadonlySet<string> = new Set([
  'alt-svc',
  'clear-site-data',
  'date',
  'origin-agent-cluster',
  'service-worker-allowed',
  'set-cookie2',
  'stele-position',
  'stele-revision',
  'x-content-type-options',
  'x-request-id',
]);

/**
 * Headers with commands to a proxy in front of the service. A server could use them to make the proxy send the proxy's
 * own files or cache private responses.
 */
const TO_PROXIES = /^x-(?:accel-|sendfile|lighttpd-|litespeed-|reproxy-|stele-)/;

const NEVER_IN_PRIVATE =
  /^(?:expires|pragma|cross-origin-resource-policy|surrogate-.*|access-control-.*|.+-cache-control)$/;

type AnswerFieldVerdict = 'passed on' | 'never' | 'cookie' | 'caching' | 'not in private';

const verdictOn = byName((name): AnswerFieldVerdict => {
  const lower = name.toLowerCase();
  if (NEVER.has(lower) || TO_PROXIES.test(lower)) return 'never';
  if (lower === 'set-cookie') return 'cookie';
  if (lower === 'cache-control') return 'caching';
  return NEVER_IN_PRIVATE.test(lower) ? 'not in private' : 'passed on';
});

/**
 * Returns the response headers for visitors, and whether the response is a page. Caches the result for each distinct
 * head of a server's response.
 */
export function applyServerRules(
  head: ResponseHead,
  rules: ServerRules,
): { readonly fields: ResponseFields; readonly isHtml: boolean } {
  if (head.made?.by === rules) return head.made;
  const fields = buildResponseFields(buildVisitorFields(head.fields, rules));
  head.made = { by: rules, fields, isHtml: isHtmlResponse(head.fields) };
  return head.made;
}

export function buildVisitorFields(sent: readonly string[], { added, isPrivate }: ServerRules): string[] {
  const fields: string[] = [];
  for (let at = 0; at < sent.length; at += 2) {
    const name = sent[at] ?? '';
    const value = sent[at + 1] ?? '';
    const verdict = verdictOn(name);
    if (verdict === 'never' || (verdict === 'cookie' && !canSetCookie(value))) continue;
    if (isPrivate && (verdict === 'caching' || verdict === 'not in private')) continue;
    fields.push(name, value);
  }
  for (const text of added) fields.push(text);
  if (isPrivate) fields.push('cache-control', cachingOfPrivate(sent));
  return fields;
}

/**
 * Returns the `cache-control` of a private response. If the server forbids storing the response, browsers must not
 * store it either.
 */
function cachingOfPrivate(sent: readonly string[]): string {
  const isKept = !sent.some(
    (name, at) => at % 2 === 0 && name.toLowerCase() === 'cache-control' && /no-store/i.test(sent[at + 1] ?? ''),
  );
  return isKept ? 'private, no-cache' : 'private, no-store';
}

export const isHtmlResponse = (fields: readonly string[]): boolean => {
  for (let at = 0; at < fields.length; at += 2)
    if (fields[at]?.length === 12 && fields[at]?.toLowerCase() === 'content-type')
      return /^text\/html\b/i.test(fields[at + 1] ?? '');
  return false;
};
