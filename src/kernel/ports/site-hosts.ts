/** The hosts of sites. */
export abstract class SiteHosts {
  /**
   * Whether a hostname, in lower case and without a port, belongs to the site: its current or former host, a domain, or
   * a
   * preview.
   */
  abstract isOf(hostname: string, siteId: string): boolean;
}
