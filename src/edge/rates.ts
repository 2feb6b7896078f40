/** How often something may be done. */
export type Rate = {
  /** As it stands in `ratelimit` headers and in /v1/limits. */
  readonly name: string;
  readonly limit: number;
  readonly seconds: number;
  /** Whose requests are counted together. An address is an IPv4 address or the /64 of an IPv6 address. */
  readonly per: 'address' | 'site';
};

/** Every rate there is (contract, section 2, `STELE_RATE_LIMITS`). A route names its own: `@RouteConfig({ rate })`. */
export const rates = {
  anonymousDeploys: { name: 'anonymous-deploys', limit: 10, seconds: 3_600, per: 'address' },
  redeploys: { name: 'redeploys', limit: 60, seconds: 3_600, per: 'site' },
  waitlist: { name: 'waitlist', limit: 20, seconds: 3_600, per: 'address' },
} as const satisfies Record<string, Rate>;
