import type { Caller } from '../command-context.js';

/** What a person lets a program do for them: less than they may themselves. */
export type AgentScope = 'read' | 'publish' | 'manage';

/** A program that acts for a person, by a grant that the person gave in a browser. */
export type AgentGrant = {
  readonly grantId: string;
  readonly userId: string;
  /** Of the program: what it was registered as, or the address of its metadata document. */
  readonly clientId: string;
  /** As it names itself. */
  readonly clientName: string;
  readonly scopes: ReadonlySet<AgentScope>;
  /** The sites that the person chose; null for all of theirs. */
  readonly siteIds: ReadonlySet<string> | null;
  /** Whom rules see: the person, with no more rights than the grant has. */
  readonly caller: Caller;
};
