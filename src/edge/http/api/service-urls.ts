/** The URLs that the service announces, built from settings and never from a request. */
export class ServiceUrls {
  /** The base URL, without a trailing slash. */
  readonly baseUrl: string;
  /** The domain of hosted sites, with its port. */
  readonly siteDomain: string;
  readonly mcpUrl: string;
  readonly statusUrl: string;

  constructor(settings: Pick<ServiceUrls, 'baseUrl' | 'siteDomain' | 'mcpUrl' | 'statusUrl'>) {
    this.baseUrl = settings.baseUrl;
    this.siteDomain = settings.siteDomain;
    this.mcpUrl = settings.mcpUrl;
    this.statusUrl = settings.statusUrl;
  }

  /** The URL of a host under the site domain, with the scheme of the base URL. */
  host(label: string) {
    return `${new URL(this.baseUrl).protocol}//${label}.${this.siteDomain}/`;
  }

  /** The live URL of a site. */
  site(slug: string) {
    return this.host(slug);
  }

  /** The URL of a site on its own domain, with the scheme and port of other sites. */
  domain(hostname: string) {
    return `${new URL(this.baseUrl).protocol}//${hostname}${/:\d+$/.exec(this.siteDomain)?.[0] ?? ''}/`;
  }

  /** The URL of a site under the service’s own host. */
  sitePath(slug: string) {
    return `${this.baseUrl}/s/${slug}/`;
  }

  /** The permanent URL of this deploy. Its host label contains the deploy’s ID without the prefix. */
  preview(deployId: string) {
    return this.host(`dep-${deployId.slice('dep_'.length)}`);
  }

  /** The API resource of a deploy. */
  deploy(slug: string, deployId: string) {
    return `${this.baseUrl}/v1/sites/${slug}/deploys/${deployId}`;
  }

  /**
   * The page where the holder of the edit token claims a site. The token is in the fragment, which browsers do not send
   * to servers.
   */
  claim(slug: string, editToken: string) {
    return `${this.baseUrl}/claim/${slug}#token=${editToken}`;
  }
}
