import type { Caller } from '../command-context.js';

/** What a connected app may do for a user, which is less than the user may do. */
export type AgentScope = 'read' | 'publish' | 'manage';

/** A connected app that acts for a user under a grant that the user gave in a browser. */
export type AgentGrant = {
  readonly grantId: string;
  readonly userId: string;
  /** The client ID, which is either from registration or the URL of the client’s metadata document. */
  readonly clientId: string;
  /** The name that the app gave itself. */
  readonly clientName: string;
  readonly scopes: ReadonlySet<AgentScope>;
  /** The sites that the user chose, or null for all of their sites. */
  readonly siteIds: ReadonlySet<string> | null;
  /** The caller that rules see: the user, limited to the rights of the grant. */
  readonly caller: Caller;
};
