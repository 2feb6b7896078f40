/** The addresses that are announced; built from settings, never from a request. */
export class Addresses {
  /** {base_url}, without a slash at its end. */
  readonly baseUrl: string;
  /** {site_domain}, with its port. */
  readonly siteDomain: string;
  readonly mcpUrl: string;
  readonly statusUrl: string;

  constructor(settings: Pick<Addresses, 'baseUrl' | 'siteDomain' | 'mcpUrl' | 'statusUrl'>) {
    this.baseUrl = settings.baseUrl;
    this.siteDomain = settings.siteDomain;
    this.mcpUrl = settings.mcpUrl;
    this.statusUrl = settings.statusUrl;
  }

  /** `https` as soon as the base address is. */
  host(label: string) {
    return `${new URL(this.baseUrl).protocol}//${label}.${this.siteDomain}/`;
  }

  site(slug: string) {
    return this.host(slug);
  }

  sitePath(slug: string) {
    return `${this.baseUrl}/s/${slug}/`;
  }

  /** The address that keeps showing one deploy; its label is the deploy's id without the prefix. */
  preview(deployId: string) {
    return this.host(`dep-${deployId.slice('dep_'.length)}`);
  }

  claim(slug: string, editToken: string) {
    return `${this.baseUrl}/claim/${slug}#token=${editToken}`;
  }
}
