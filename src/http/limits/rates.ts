/** How often something may be done. */
export type Rate = {
  /** As it stands in `ratelimit` headers and in /v1/limits. */
  readonly name: string;
  readonly limit: number;
  readonly seconds: number;
  /** Whose requests are counted together. An address is an IPv4 address or the /64 of an IPv6 address. */
  readonly per: 'address' | 'site' | 'email' | 'user';
  /** `failures`: only what was refused, tries to guess something. `work`: also what was refused after it was done. */
  readonly counts?: 'failures' | 'work';
  /** Which rate holds instead for somebody who is signed in. */
  readonly signedIn?: Rate;
};

const deploys: Rate = { name: 'deploys', limit: 60, seconds: 3_600, per: 'user' };

/** Every rate there is (docs/interface.md, "Rate limits"). A route names its own: `@Route({ rate })`. */
export const rates = {
  anonymousDeploys: { name: 'anonymous-deploys', limit: 10, seconds: 3_600, per: 'address', signedIn: deploys },
  deploys,
  redeploys: { name: 'redeploys', limit: 60, seconds: 3_600, per: 'site' },
  signInsOfAddress: { name: 'sign-ins', limit: 20, seconds: 3_600, per: 'address' },
  signInMails: { name: 'sign-in-mails', limit: 5, seconds: 900, per: 'email' },
  invites: { name: 'invites', limit: 30, seconds: 3_600, per: 'user' },
  /** Whoever invites, an address is not flooded. */
  inviteMails: { name: 'invite-mails', limit: 5, seconds: 86_400, per: 'email' },
  /** As much as an office behind one address needs: no mail is sent for it. */
  providerSignIns: { name: 'provider-sign-ins', limit: 60, seconds: 3_600, per: 'address' },
  tokenTries: { name: 'token-tries', limit: 10, seconds: 60, per: 'address', counts: 'failures' },
  terminalTickets: { name: 'terminal-tickets', limit: 20, seconds: 3_600, per: 'address' },
  /** Of a site's password, by its visitors; counted for each site. */
  passwordTries: { name: 'password-tries', limit: 10, seconds: 60, per: 'address', counts: 'failures' },
  /** As often as `cli/event`, which goes with it. */
  preflights: { name: 'preflights', limit: 120, seconds: 60, per: 'address' },
  repoChecks: { name: 'repo-checks', limit: 20, seconds: 3_600, per: 'address', counts: 'work' },
  waitlist: { name: 'waitlist', limit: 20, seconds: 3_600, per: 'address' },
  cliEvents: { name: 'cli-events', limit: 120, seconds: 60, per: 'address' },
} as const satisfies Record<string, Rate>;
