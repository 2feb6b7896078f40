import { canTossCookies, sharesDomain } from '../../edge/http/server/hosts/shared-domain.js';
import { isLoopback } from '../../settings/forms.js';
import type { Settings } from '../../settings/settings.js';

const SHARED_DOMAIN = `
Warning: STELE_BASE_URL and STELE_SITE_DOMAIN seem to share a registrable domain. Browsers then treat every hosted page
as part of the same site as this service: a page can set cookies for this service, and requests from the page to the
service include the visitor's cookies. Use a separate registered domain for sites.`;

const NOT_ON_LIST = `
Warning: STELE_SITE_DOMAIN is not on the Public Suffix List. Browsers then let every site set cookies for all other
sites, and anyone can publish a site here. Such cookies can change what other sites show to a visitor, or be so large
that other sites refuse the visitor's requests. See "Cookies between sites" in docs/operate.md. To hide this warning,
set STELE_ACKNOWLEDGE=psl.`;

/** Returns warnings about the service's domains. They are shown once, at startup. */
export function domainWarnings(
  settings: Pick<Settings, 'baseUrl' | 'siteDomain' | 'roles' | 'acknowledged'>,
): readonly string[] {
  const { baseUrl, roles, acknowledged } = settings;
  // Warn about cookies only in processes with the role `api`. Otherwise, every process would repeat the warning.
  const warnsOfCookies = roles.has('api') && !isLoopback(baseUrl) && !acknowledged.has('psl');
  return [
    ...(sharesDomain(settings) ? [SHARED_DOMAIN] : []),
    ...(warnsOfCookies && canTossCookies(settings) ? [NOT_ON_LIST] : []),
  ];
}
