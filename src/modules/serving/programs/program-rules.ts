import { type AnswerFields, answerFieldsOf } from '../../../edge/http/proxy/answer-fields.js';
import type { AnswerHead } from '../../../edge/http/proxy/answer-head.js';
import { byName } from '../../../edge/http/proxy/name-cache.js';
import { canSetCookie } from '../../../edge/http/proxy/own-cookies.js';

/** How the answers of one program are changed for visitors. */
export type ProgramRules = {
  /** Names and values that every answer gets, by turns. */
  readonly added: readonly string[];
  /** Whether the site is shown to some visitors alone: then its answers are kept from all others. */
  readonly isPrivate: boolean;
};

/**
 * What a program does not say of an answer, in lower case: what isolation is made of, what the service says itself, and
 * where else the host may be reached.
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

/** Orders to a proxy in front of us: it would read files of its own, answer with them, or keep what is private. */
const TO_PROXIES = /^x-(?:accel-|sendfile|lighttpd-|litespeed-|reproxy-|stele-)/;

/** What would show a private answer to others. */
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

/** What visitors get of an answer, and whether it is a page. Made once for a head that comes again. */
export function answerFor(
  head: AnswerHead,
  rules: ProgramRules,
): { readonly fields: AnswerFields; readonly isHtml: boolean } {
  if (head.made?.by === rules) return head.made;
  const fields = answerFieldsOf(answerFields(head.fields, rules));
  head.made = { by: rules, fields, isHtml: isHtmlAnswer(head.fields) };
  return head.made;
}

/** The fields that visitors get, of those that the program sent: names and values by turns. */
export function answerFields(sent: readonly string[], { added, isPrivate }: ProgramRules): string[] {
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

/** What may not be kept at all stays so. */
function cachingOfPrivate(sent: readonly string[]): string {
  const isKept = !sent.some(
    (name, at) => at % 2 === 0 && name.toLowerCase() === 'cache-control' && /no-store/i.test(sent[at + 1] ?? ''),
  );
  return isKept ? 'private, no-cache' : 'private, no-store';
}

export const isHtmlAnswer = (fields: readonly string[]): boolean => {
  for (let at = 0; at < fields.length; at += 2)
    if (fields[at]?.length === 12 && fields[at]?.toLowerCase() === 'content-type')
      return /^text\/html\b/i.test(fields[at + 1] ?? '');
  return false;
};
