/**
 * Of every answer about a site that is not public. What a visitor was shown is kept by their own browser alone, and only
 * to be asked for again; pages of neighbours, which are of the same site to a browser, can neither load nor frame it.
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

/** What nobody but us says about an answer that is not for everybody. */
const OURS = ['cache-control', 'cross-origin-resource-policy'] as const;
const NEVER = /^(?:expires|pragma|surrogate-.*|access-control-.*|.+-cache-control)$/;

/** A head with what a site chose for it, kept from others all the same. */
export function keptPrivate(head: Readonly<Record<string, string | number>>): Record<string, string | number> {
  const kept = Object.fromEntries(Object.entries(head).filter(([name]) => !NEVER.test(name)));
  for (const name of OURS) kept[name] = PRIVATE_SITE[name] ?? '';
  return kept;
}
