import { HOST_FORM, PATH_FORM } from '../../../edge/http/api/header-sets.js';

/** Kind of address that a site is visited at: its own host, a path of the service, or the host of one deploy. */
export type SiteForm = 'host' | 'path' | 'preview';

/** Returns the headers of every response about a public site, whatever its status. */
export function siteHeaders(form: SiteForm, noindex: boolean): Record<string, string> {
  return { ...(form === 'path' ? PATH_FORM : HOST_FORM), ...(noindex && { 'x-robots-tag': 'noindex' }) };
}
