/** The URLs that users see. They are built from settings, never from a request. */
export class ServiceUrls {
  /** The base URL without a trailing slash. */
  readonly baseUrl: string;
  /** The domain of hosted sites, including the port. */
  readonly siteDomain: string;
  readonly mcpUrl: string;
  readonly statusUrl: string;

  constructor(settings: Pick<ServiceUrls, 'baseUrl' | 'siteDomain' | 'mcpUrl' | 'statusUrl'>) {
    this.baseUrl = settings.baseUrl;
    this.siteDomain = settings.siteDomain;
    this.mcpUrl = settings.mcpUrl;
    this.statusUrl = settings.statusUrl;
  }

  host(label: string) {
    return `${new URL(this.baseUrl).protocol}//${label}.${this.siteDomain}/`;
  }

  site(slug: string) {
    return this.host(slug);
  }

  domain(hostname: string) {
    return `${new URL(this.baseUrl).protocol}//${hostname}${/:\d+$/.exec(this.siteDomain)?.[0] ?? ''}/`;
  }

  sitePath(slug: string) {
    return `${this.baseUrl}/s/${slug}/`;
  }

  /** Returns the permanent URL of a deploy. Its host label is the deploy’s ID without its prefix. */
  preview(deployId: string) {
    return this.host(`dep-${deployId.slice('dep_'.length)}`);
  }

  deploy(slug: string, deployId: string) {
    return `${this.baseUrl}/v1/sites/${slug}/deploys/${deployId}`;
  }

  /** Returns the URL for claiming a site. The token is in the fragment, which browsers do not send to servers. */
  claim(slug: string, editToken: string) {
    return `${this.baseUrl}/claim/${slug}#token=${editToken}`;
  }
}
