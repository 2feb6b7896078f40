import { isResponseSpecific } from '../../../content/sitefiles/header-names.js';
import type { SiteForm } from '../responses/site-headers.js';
import type { ChosenHeaders } from './site-rules.js';

/** Headers that the service sets and that a site can extend but not remove. */
const ADDED_TO = new Set(['content-security-policy', 'vary', 'x-robots-tag']);

/**
 * Adds the headers chosen by the site. A missing page keeps the service's `cache-control`, because a rule that caches
 * assets for a year is not meant for missing ones.
 *
 * A site that shares its origin with the API can only choose headers that affect a single response. The service's
 * sandbox stays a separate policy on that origin, because an additional policy can only restrict a response further.
 */
export function withChosenHeaders(
  ours: Readonly<Record<string, string | number>>,
  { set, unset }: ChosenHeaders,
  form: SiteForm,
  status: number,
): Record<string, string | number> {
  if (set.size === 0 && unset.size === 0) return { ...ours };
  const isApplied = (name: string) =>
    (form !== 'path' || isResponseSpecific(name)) && !(status !== 200 && name === 'cache-control');

  const head: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(ours))
    if (!unset.has(name) || ADDED_TO.has(name) || !isApplied(name)) head[name] = value;
  for (const [name, value] of set) {
    if (!isApplied(name)) continue;
    const chosen = form === 'path' && name === 'content-security-policy' ? withoutSandbox(value) : value;
    if (chosen === '') continue;
    const said = ADDED_TO.has(name) ? ours[name] : undefined;
    head[name] = said === undefined ? chosen : `${said}, ${chosen}`;
  }
  return head;
}

/** Removes policies with a sandbox. Responses contain only the service's own sandbox (decision 0016). */
const withoutSandbox = (policies: string) =>
  policies
    .split(',')
    .map((policy) => policy.trim())
    .filter((policy) => !/(?:^|;)\s*sandbox(?:[\s;]|$)/i.test(policy))
    .join(', ');
