import { byName } from '../../../edge/http/proxy/name-cache.js';
import { canSetCookie } from '../../../edge/http/proxy/own-cookies.js';
import { buildResponseFields, type ResponseFields } from '../../../edge/http/proxy/response-fields.js';
import type { ResponseHead } from '../../../edge/http/proxy/response-head.js';

/** Rules by which the responses of one server are changed for visitors. */
export type ServerRules = {
  /** Alternating names and values that every response gets. */
  readonly added: readonly string[];
  /** Whether only some visitors are allowed to see the site. Its responses are then kept out of shared caches. */
  readonly isPrivate: boolean;
};

/**
 * Headers that a server cannot set, in lower case: those of the site’s isolation, those that the service sets, and
 * those that name other addresses of the host.
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

/** Commands to a proxy in front of the service, which would make it send its own files or cache private responses. */
const TO_PROXIES = /^x-(?:accel-|sendfile|lighttpd-|litespeed-|reproxy-|stele-)/;

/** Headers that would show a private response to others. */
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
 * Returns the headers that visitors get, and whether the response is a page. Reuses the result for a head that was seen
 * before.
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

/** Returns the headers that visitors get, given those that the server sent, as alternating names and values. */
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

/** A response that must not be stored stays so. */
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
