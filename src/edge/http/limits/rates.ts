/** How often something may be done: `limit` times in `seconds`. */
export type Rate = {
  /** The name in `ratelimit` headers and in /v1/limits. */
  readonly name: string;
  /** Requests, or bytes where the name says so. */
  readonly limit: number;
  readonly seconds: number;
  /** What requests are counted by. An address is an IPv4 address or the /64 of an IPv6 address. */
  readonly per: 'address' | 'site' | 'email' | 'user' | 'address and site';
  /**
   * `failures`: only refused requests count, for attempts to guess. `work`: requests count even if they are refused
   * after the work was done.
   */
  readonly counts?: 'failures' | 'work';
  /** The rate that applies instead to a signed-in caller. */
  readonly signedIn?: Rate;
  /** A second rate, which applies besides to a caller who is not signed in or sends an edit token. */
  readonly anonymous?: Rate;
};

const deploys: Rate = { name: 'deploys', limit: 60, seconds: 3_600, per: 'user' };

/** Whatever number of anonymous sites a network has. */
const anonymousRedeploys: Rate = { name: 'anonymous-redeploys', limit: 240, seconds: 3_600, per: 'address' };

/** Every rate (docs/interface/limits.md, "Rate limits"). A route names its own: `@Route({ rate })`. */
export const rates = {
  anonymousDeploys: { name: 'anonymous-deploys', limit: 10, seconds: 3_600, per: 'address', signedIn: deploys },
  deploys,
  /** What is sent to prepared addresses, each of which was counted as a deploy: also what is refused after it was read. */
  preparedUploads: { name: 'prepared-uploads', limit: 60, seconds: 3_600, per: 'address', counts: 'work' },
  /** Files that are uploaded before their deploy: as many as one may have. */
  uploads: { name: 'uploads', limit: 40_000, seconds: 3_600, per: 'address' },
  /** What one address sends in a day to be kept for a day, with whatever credentials. */
  uploadBytes: { name: 'upload-bytes', limit: 20 * 1_073_741_824, seconds: 86_400, per: 'address' },
  redeploys: { name: 'redeploys', limit: 60, seconds: 3_600, per: 'site', anonymous: anonymousRedeploys },
  anonymousRedeploys,
  signInsOfAddress: { name: 'sign-ins', limit: 20, seconds: 3_600, per: 'address' },
  signInMails: { name: 'sign-in-mails', limit: 5, seconds: 900, per: 'email' },
  invites: { name: 'invites', limit: 30, seconds: 3_600, per: 'user' },
  /** However many people invite it, an address is not flooded. */
  inviteMails: { name: 'invite-mails', limit: 5, seconds: 86_400, per: 'email' },
  /** Enough for an office behind one address: it sends no mail. */
  providerSignIns: { name: 'provider-sign-ins', limit: 60, seconds: 3_600, per: 'address' },
  tokenTries: { name: 'token-tries', limit: 10, seconds: 60, per: 'address', counts: 'failures' },
  terminalTickets: { name: 'terminal-tickets', limit: 20, seconds: 3_600, per: 'address' },
  /** Programs that ask for a person’s consent, whose metadata document may have to be fetched. */
  agentRequests: { name: 'agent-requests', limit: 120, seconds: 600, per: 'address' },
  /** Enough for a service whose users all let it in from its one address. */
  agentRegistrations: { name: 'agent-registrations', limit: 60, seconds: 3_600, per: 'address' },
  agentTokenTries: { name: 'agent-token-tries', limit: 60, seconds: 60, per: 'address', counts: 'failures' },
  /** Enough for an office, or for a service that calls tools for many people from its one address. */
  mcpRequests: { name: 'mcp-requests', limit: 600, seconds: 60, per: 'address' },
  /** Bytes of messages, whatever became of them. */
  mcpBytes: { name: 'mcp-bytes', limit: 256 * 1_048_576, seconds: 3_600, per: 'address' },
  /** For the visitors of a site with a password; counted for each site. */
  passwordTries: { name: 'password-tries', limit: 10, seconds: 60, per: 'address', counts: 'failures' },
  /** Equal to `cliEvents`: a client sends one with each preflight. */
  preflights: { name: 'preflights', limit: 120, seconds: 60, per: 'address' },
  repoChecks: { name: 'repo-checks', limit: 20, seconds: 3_600, per: 'address', counts: 'work' },
  tokens: { name: 'tokens', limit: 60, seconds: 3_600, per: 'user' },
  domains: { name: 'domains', limit: 60, seconds: 3_600, per: 'user' },
  /** As often as one domain is looked for at most. */
  domainChecks: { name: 'domain-checks', limit: 720, seconds: 3_600, per: 'user' },
  /** Pages that are made, from templates too. What models write is counted by the day besides. */
  generations: { name: 'generations', limit: 60, seconds: 60, per: 'user' },
  invocations: { name: 'invocations', limit: 60, seconds: 60, per: 'address and site' },
  waitlist: { name: 'waitlist', limit: 20, seconds: 3_600, per: 'address' },
  cliEvents: { name: 'cli-events', limit: 120, seconds: 60, per: 'address' },
  /** Bytes of what is told, which is kept for weeks: 1,600 runs of 20 KiB. By number alone it could be 2.7 GB a day. */
  cliEventBytes: { name: 'cli-event-bytes', limit: 32 * 1_048_576, seconds: 86_400, per: 'address' },
} as const satisfies Record<string, Rate>;
