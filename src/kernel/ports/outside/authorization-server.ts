import type { AgentScope } from '../agent-grants.js';

/** Where the endpoints are, below the base address of the service. */
export const AUTHORIZATION_PATHS = {
  authorization: '/oauth/authorize',
  consent: '/oauth/consent',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  keys: '/oauth/keys',
} as const;

/** What a client is given that asks for nothing in particular. */
export const DEFAULT_SCOPES: readonly AgentScope[] = ['read', 'publish'];

export const AGENT_SCOPES: readonly AgentScope[] = ['read', 'publish', 'manage'];

/** A request to one of the endpoints, as far as it is looked at. */
export type EndpointRequest = {
  readonly method: 'GET' | 'POST';
  /** Path and query. */
  readonly url: string;
  readonly cookie: string | undefined;
  readonly contentType?: string;
  /** As it came; a form may name a field twice, which is for the endpoint to refuse. */
  readonly body?: string;
};

export type EndpointAnswer = {
  readonly status: number;
  /** The body; null without one. */
  readonly json: unknown;
  /** Where a browser is sent on; null where it stays. */
  readonly location: string | null;
  /** As `set-cookie` has them. */
  readonly cookies: readonly string[];
};

/** A client’s request that waits for a person to say yes. */
export type PendingConsent = {
  readonly clientId: string;
  /** As the client names itself, cleaned of what could deceive; where it does not, the host or the scheme it is sent to. */
  readonly clientName: string;
  /** The host that vouches for the client by its metadata document (`https://…`); null for one that registered itself. */
  readonly documentHost: string | null;
  /** Where the browser is sent with the answer: registered, and checked. */
  readonly redirectUri: string;
  readonly scopes: readonly AgentScope[];
};

/**
 * Lets programs act for people (OAuth 2.1). It speaks the protocol and knows no page and no person: the person is asked
 * on a page of ours, at `{consent}/{uid}`, to which a browser is sent with cookies that are bound to it.
 */
export abstract class AuthorizationServer {
  /** Answers a request to an endpoint, errors included; it throws for faults of the server alone. */
  abstract answer(request: EndpointRequest): Promise<EndpointAnswer>;

  /**
   * The request that is to be consented to in this very browser, known by its cookies; null where it is unknown, answered,
   * over, or another browser’s.
   */
  abstract pending(uid: string, cookie: string | undefined): Promise<PendingConsent | null>;

  /** Says yes by a grant that is kept already. Answers where the browser goes on; null as `pending`. */
  abstract approve(uid: string, cookie: string | undefined, grantId: string, userId: string): Promise<string | null>;

  /** Says no. Answers where the browser goes on, with the news; null as `pending`. */
  abstract deny(uid: string, cookie: string | undefined): Promise<string | null>;
}

/** What the protocol has to know of a grant. */
export type AuthorizedGrant = {
  readonly userId: string;
  readonly clientId: string;
  readonly scopes: readonly AgentScope[];
  /** Seconds since 1970. */
  readonly createdAt: number;
  readonly expiresAt: number;
};

/** Grants, as the protocol sees them. */
export interface AuthorizedGrants {
  /** The grant; null where it has ended or is over. */
  authorized(grantId: string): Promise<AuthorizedGrant | null>;
  /** Ends it with every code and token that came of it, at once and everywhere. Harmless to repeat. */
  endGrant(grantId: string): Promise<void>;
}

/** What the protocol gives out or waits with: codes, tokens, requests that wait for consent. */
export type Artifact = {
  /** `AuthorizationCode`, `AccessToken`, `RefreshToken`, `Interaction`: an id of one kind is none of another. */
  readonly kind: string;
  /** The secret itself, of which a hash alone is kept. */
  readonly id: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** Null for what belongs to no grant yet. */
  readonly grantId: string | null;
  /** How long it is kept. */
  readonly seconds: number;
};

export interface Artifacts {
  /** Keeps it, in the place of one of the same kind and id; false where its grant has ended, and then it is not kept. */
  keep(artifact: Artifact): Promise<boolean>;
  /** What was kept, and whether it was used up; null where it is unknown or over. */
  find(kind: string, id: string): Promise<{ readonly payload: Artifact['payload']; readonly used: boolean } | null>;
  /** Uses it up: of any number of calls at once one answers true. */
  use(kind: string, id: string): Promise<boolean>;
  drop(kind: string, id: string): Promise<void>;
}

/** Clients that registered themselves. */
export interface RegisteredClients {
  /** Keeps a client. One that is never used is forgotten after a while, and sooner where very many register. */
  register(clientId: string, metadata: Readonly<Record<string, unknown>>): Promise<void>;
  /** What a client registered with; null where it is unknown or forgotten. */
  findClient(clientId: string): Promise<Readonly<Record<string, unknown>> | null>;
}
