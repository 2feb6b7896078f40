import { HOST_FORM, PATH_FORM } from '../../../http/api/header-sets.js';

/** Through which address a site is looked at. */
export type Form = 'host' | 'path' | 'preview';

/** The headers of every answer about a public site, whatever its status. */
export function siteHeaders(form: Form, noindex: boolean): Record<string, string> {
  return { ...(form === 'path' ? PATH_FORM : HOST_FORM), ...(noindex && { 'x-robots-tag': 'noindex' }) };
}
