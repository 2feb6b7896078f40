import { HOST_FORM, PATH_FORM } from '../../../edge/http/api/header-sets.js';

/** Where a site is visited: on its own host, under a path of the service, or on the host of a deploy. */
export type SiteForm = 'host' | 'path' | 'preview';

/** Returns the headers of every response about a public site. */
export function siteHeaders(form: SiteForm, noindex: boolean): Record<string, string> {
  return { ...(form === 'path' ? PATH_FORM : HOST_FORM), ...(noindex && { 'x-robots-tag': 'noindex' }) };
}
