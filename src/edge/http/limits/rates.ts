export type Rate = {
  /** The name of the rate in `ratelimit` headers and in /v1/limits. */
  readonly name: string;
  /** Number of requests, or of bytes if the name contains "bytes". */
  readonly limit: number;
  readonly seconds: number;
  /**
   * Requests with the same key are counted together. `address`: an IPv4 address or the /64 network of an IPv6 address.
   */
  readonly per: 'address' | 'site' | 'email' | 'user' | 'address and site';
  /**
   * `failures`: only refused requests count, to limit guessing. `work`: requests that are refused after work was done
   * count too.
   */
  readonly counts?: 'failures' | 'work';
  /** Replaces this rate for a signed-in caller. */
  readonly signedIn?: Rate;
  /** A second rate that also applies to callers who are not signed in or who send an edit token. */
  readonly anonymous?: Rate;
};

const deploys: Rate = { name: 'deploys', limit: 60, seconds: 3_600, per: 'user' };

/** Limits how many redeploys of anonymous sites one network can make, however many of these sites it has. */
const anonymousRedeploys: Rate = { name: 'anonymous-redeploys', limit: 240, seconds: 3_600, per: 'address' };

/** A route selects its rate with `@Route({ rate })` (docs/interface/limits.md, "Rate limits"). */
export const rates = {
  anonymousDeploys: { name: 'anonymous-deploys', limit: 10, seconds: 3_600, per: 'address', signedIn: deploys },
  deploys,
  /**
   * Uploads to prepared upload URLs. Creating such a URL already counts as a deploy. Refused uploads count if their
   * body was read.
   */
  preparedUploads: { name: 'prepared-uploads', limit: 60, seconds: 3_600, per: 'address', counts: 'work' },
  /**
   * Uploads of content before its deploy. The limit is enough for one deploy with the default maximum number of files.
   */
  uploads: { name: 'uploads', limit: 40_000, seconds: 3_600, per: 'address' },
  /**
   * Bytes of content that is uploaded before its deploy, and kept for a day. Applies to callers with any credential.
   */
  uploadBytes: { name: 'upload-bytes', limit: 20 * 1_073_741_824, seconds: 86_400, per: 'address' },
  redeploys: { name: 'redeploys', limit: 60, seconds: 3_600, per: 'site', anonymous: anonymousRedeploys },
  anonymousRedeploys,
  signInsOfAddress: { name: 'sign-ins', limit: 20, seconds: 3_600, per: 'address' },
  signInMails: { name: 'sign-in-mails', limit: 5, seconds: 900, per: 'email' },
  invites: { name: 'invites', limit: 30, seconds: 3_600, per: 'user' },
  /** Protects an email address from many invitations by different users. */
  inviteMails: { name: 'invite-mails', limit: 5, seconds: 86_400, per: 'email' },
  /**
   * Sign-ins through identity providers. The limit is enough for an office that shares one address. It can be high,
   * because no mail is sent.
   */
  providerSignIns: { name: 'provider-sign-ins', limit: 60, seconds: 3_600, per: 'address' },
  tokenTries: { name: 'token-tries', limit: 10, seconds: 60, per: 'address', counts: 'failures' },
  terminalTickets: { name: 'terminal-tickets', limit: 20, seconds: 3_600, per: 'address' },
  /** Requests of connected apps for a user’s consent. For each, the app’s metadata document may have to be fetched. */
  agentRequests: { name: 'agent-requests', limit: 120, seconds: 600, per: 'address' },
  /**
   * Registrations of connected apps. The limit is enough for a service that registers all of its users from one
   * address.
   */
  agentRegistrations: { name: 'agent-registrations', limit: 60, seconds: 3_600, per: 'address' },
  agentTokenTries: { name: 'agent-token-tries', limit: 60, seconds: 60, per: 'address', counts: 'failures' },
  /** MCP requests. The limit is enough for an office, or for a service that calls tools for many users. */
  mcpRequests: { name: 'mcp-requests', limit: 600, seconds: 60, per: 'address' },
  /** Bytes of MCP messages, including those that fail. */
  mcpBytes: { name: 'mcp-bytes', limit: 256 * 1_048_576, seconds: 3_600, per: 'address' },
  /** Password attempts by visitors of password-protected sites. Counted separately for each site. */
  passwordTries: { name: 'password-tries', limit: 10, seconds: 60, per: 'address', counts: 'failures' },
  /**
   * Preflight requests. The limit equals that of `cliEvents`, because a client sends one event after each preflight.
   */
  preflights: { name: 'preflights', limit: 120, seconds: 60, per: 'address' },
  repoChecks: { name: 'repo-checks', limit: 20, seconds: 3_600, per: 'address', counts: 'work' },
  tokens: { name: 'tokens', limit: 60, seconds: 3_600, per: 'user' },
  domains: { name: 'domains', limit: 60, seconds: 3_600, per: 'user' },
  /** The limit allows a user to check one domain at the maximum frequency, which is once every 5 seconds. */
  domainChecks: { name: 'domain-checks', limit: 720, seconds: 3_600, per: 'user' },
  /** Generated pages, including those from templates. Model output also has a daily limit. */
  generations: { name: 'generations', limit: 60, seconds: 60, per: 'user' },
  invocations: { name: 'invocations', limit: 60, seconds: 60, per: 'address and site' },
  waitlist: { name: 'waitlist', limit: 20, seconds: 3_600, per: 'address' },
  cliEvents: { name: 'cli-events', limit: 120, seconds: 60, per: 'address' },
  /**
   * Events of the CLI, which are kept for weeks. If only their number were limited, a client could send 2.7 GB a day.
   */
  cliEventBytes: { name: 'cli-event-bytes', limit: 32 * 1_048_576, seconds: 86_400, per: 'address' },
} as const satisfies Record<string, Rate>;
