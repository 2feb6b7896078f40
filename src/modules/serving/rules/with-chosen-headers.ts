import { isAboutOneAnswer } from '../../../content/sitefiles/header-names.js';
import type { SiteForm } from '../answers/site-headers.js';
import type { ChosenHeaders } from './site-rules.js';

/** What the service says and a site may add to, never take from. */
const ADDED_TO = new Set(['content-security-policy', 'vary', 'x-robots-tag']);

/**
 * A whole head with what the site chooses for it. Where the site shares its origin with the API the sandbox stays, as a
 * policy of its own beside the site’s (all policies of an answer hold, so the site’s can only narrow it), and only what
 * is about one answer is the site’s to say. A page that was not found keeps our `cache-control`: a site that keeps its
 * assets for a year does not mean the ones that are missing.
 */
export function withChosenHeaders(
  ours: Readonly<Record<string, string | number>>,
  { set, unset }: ChosenHeaders,
  form: SiteForm,
  status: number,
): Record<string, string | number> {
  if (set.size === 0 && unset.size === 0) return { ...ours };
  const may = (name: string) =>
    (form !== 'path' || isAboutOneAnswer(name)) && !(status !== 200 && name === 'cache-control');

  const head: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(ours))
    if (!unset.has(name) || ADDED_TO.has(name) || !may(name)) head[name] = value;
  for (const [name, value] of set) {
    if (!may(name)) continue;
    const chosen = form === 'path' && name === 'content-security-policy' ? withoutSandbox(value) : value;
    if (chosen === '') continue;
    const said = ADDED_TO.has(name) ? ours[name] : undefined;
    head[name] = said === undefined ? chosen : `${said}, ${chosen}`;
  }
  return head;
}

/** A second sandbox could only be narrower, and yet none but ours is ever in our answers (decision 0016). */
const withoutSandbox = (policies: string) =>
  policies
    .split(',')
    .map((policy) => policy.trim())
    .filter((policy) => !/(?:^|;)\s*sandbox(?:[\s;]|$)/i.test(policy))
    .join(', ');
