/** Through which address a site is looked at. */
export type Form = 'host' | 'path' | 'preview';

/** Field notes, “Untrusted pages beside an API”: no sandbox keyword gives the page the service’s own origin. */
const SANDBOX =
  'sandbox allow-scripts allow-forms allow-modals allow-popups allow-popups-to-escape-sandbox allow-downloads allow-pointer-lock';

const COMMON = { 'x-content-type-options': 'nosniff', 'access-control-allow-origin': '*' };

/** The headers of every answer about a public site, whatever its status. */
export function siteHeaders(form: Form, noindex: boolean): Record<string, string> {
  return {
    ...COMMON,
    ...(form === 'path' ? { 'content-security-policy': SANDBOX } : { 'origin-agent-cluster': '?1' }),
    ...(noindex && { 'x-robots-tag': 'noindex' }),
  };
}
