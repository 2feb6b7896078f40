/** The URLs that users see. They are built from settings, never from a request. */
export class ServiceUrls {
  /** Has no trailing slash. */
  readonly baseUrl: string;
  /** Includes the port. */
  readonly siteDomain: string;
  readonly mcpUrl: string;
  readonly statusUrl: string;

  constructor(settings: Pick<ServiceUrls, 'baseUrl' | 'siteDomain' | 'mcpUrl' | 'statusUrl'>) {
    this.baseUrl = settings.baseUrl;
    this.siteDomain = settings.siteDomain;
    this.mcpUrl = settings.mcpUrl;
    this.statusUrl = settings.statusUrl;
  }

  /** Returns the URL of a host under the site domain, with the scheme of the base URL. */
  host(label: string) {
    return `${new URL(this.baseUrl).protocol}//${label}.${this.siteDomain}/`;
  }

  /** Returns the live URL of a site. */
  site(slug: string) {
    return this.host(slug);
  }

  /** Returns the URL of a site on its custom domain, with the scheme and port of all other sites. */
  domain(hostname: string) {
    return `${new URL(this.baseUrl).protocol}//${hostname}${/:\d+$/.exec(this.siteDomain)?.[0] ?? ''}/`;
  }

  /** Returns the URL of a site under the service’s own host. */
  sitePath(slug: string) {
    return `${this.baseUrl}/s/${slug}/`;
  }

  /** Returns the permanent URL of this deploy. Its host label contains the deploy’s ID without the prefix. */
  preview(deployId: string) {
    return this.host(`dep-${deployId.slice('dep_'.length)}`);
  }

  /** Returns the URL of a deploy in the API. */
  deploy(slug: string, deployId: string) {
    return `${this.baseUrl}/v1/sites/${slug}/deploys/${deployId}`;
  }

  /**
   * Returns the URL of the page on which the holder of the edit token claims a site. The token is in the fragment,
   * which browsers do not send to servers.
   */
  claim(slug: string, editToken: string) {
    return `${this.baseUrl}/claim/${slug}#token=${editToken}`;
  }
}
