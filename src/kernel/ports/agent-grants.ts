import type { Caller } from '../command-context.js';

/** What a connected app can do for a person: less than the person can. */
export type AgentScope = 'read' | 'publish' | 'manage';

/** A connected app that acts for a person, by a grant that the person gave in a browser. */
export type AgentGrant = {
  readonly grantId: string;
  readonly userId: string;
  /** The client ID: from registration, or the URL of the client’s metadata document. */
  readonly clientId: string;
  /** The name that the app gave itself. */
  readonly clientName: string;
  readonly scopes: ReadonlySet<AgentScope>;
  /** The sites that the person chose; null for all of their sites. */
  readonly siteIds: ReadonlySet<string> | null;
  /** The caller that rules see: the person, limited to the rights of the grant. */
  readonly caller: Caller;
};
