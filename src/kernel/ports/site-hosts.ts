/** Which hosts sites have. */
export abstract class SiteHosts {
  /** Whether a name, in lower case and without a port, is one of the site's own: its host, a former one, a domain, a preview. */
  abstract isOf(hostname: string, siteId: string): boolean;
}
