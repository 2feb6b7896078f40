/**
 * Headers of every response about a site that is not public. Only the visitor's browser may cache the response. Pages
 * of other hosted sites can neither load nor frame it, although browsers treat them as same-site.
 */
export const PRIVATE_SITE: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'origin-agent-cluster': '?1',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "frame-ancestors 'self'",
  'cache-control': 'private, no-cache',
  'x-robots-tag': 'noindex',
  vary: 'cookie',
};

/** Headers of a private response that the site can't choose. */
const OURS = ['cache-control', 'cross-origin-resource-policy'] as const;
const NEVER = /^(?:expires|pragma|surrogate-.*|access-control-.*|.+-cache-control)$/;

export function keptPrivate(head: Readonly<Record<string, string | number>>): Record<string, string | number> {
  const kept = Object.fromEntries(Object.entries(head).filter(([name]) => !NEVER.test(name)));
  for (const name of OURS) kept[name] = PRIVATE_SITE[name] ?? '';
  return kept;
}
