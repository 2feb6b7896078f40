import type { Caller } from '../command-context.js';

export type OAuthScope = 'read' | 'publish' | 'manage';

/** A connected app that acts for a user with the user's consent. */
export type OAuthGrant = {
  readonly grantId: string;
  readonly userId: string;
  /** The client's ID from its registration, or the URL of its metadata document. */
  readonly clientId: string;
  readonly clientName: string;
  readonly scopes: ReadonlySet<OAuthScope>;
  /** The sites that the user chose, or null for all of them. */
  readonly siteIds: ReadonlySet<string> | null;
  /** The caller to use for the app's requests: the user, limited to the rights of the grant. */
  readonly caller: Caller;
};
