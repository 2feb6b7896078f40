import type { AgentScope } from '../agent-grants.js';

/** Endpoint paths, relative to the service's base URL. */
export const AUTHORIZATION_PATHS = {
  authorization: '/oauth/authorize',
  consent: '/oauth/consent',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  keys: '/oauth/keys',
} as const;

/** Scopes granted to a client that requests none. */
export const DEFAULT_SCOPES: readonly AgentScope[] = ['read', 'publish'];

export const AGENT_SCOPES: readonly AgentScope[] = ['read', 'publish', 'manage'];

/** The relevant parts of a request to an endpoint. */
export type EndpointRequest = {
  readonly method: 'GET' | 'POST';
  /** The path, including the query. */
  readonly url: string;
  readonly cookie: string | undefined;
  readonly contentType?: string;
  /** The unparsed body. A form might contain a field twice, which the endpoint refuses. */
  readonly body?: string;
};

export type EndpointResponse = {
  readonly status: number;
  /** The body, or null if there is none. */
  readonly json: unknown;
  /** The URL to redirect to, or null if there is no redirect. */
  readonly location: string | null;
  /** Values of `set-cookie` headers. */
  readonly cookies: readonly string[];
};

/** A client’s request that needs a user’s consent. */
export type PendingConsent = {
  readonly clientId: string;
  /**
   * The name that the client gave itself, without deceptive characters. If it has none, the host or scheme of its
   * redirect URI.
   */
  readonly clientName: string;
  /**
   * The host of the client’s metadata document (`https://…`), which vouches for the client. Null for a client that
   * registered itself.
   */
  readonly documentHost: string | null;
  /** The redirect URI for the response, which is registered and was checked. */
  readonly redirectUri: string;
  readonly scopes: readonly AgentScope[];
};

/**
 * Lets connected apps act for users (OAuth 2.1). Implements the protocol, but has no pages or users of its own.
 * Redirects a browser, which it identifies by cookies, to a page of the service, `{consent}/{uid}`, on which the user
 * can consent.
 */
export abstract class AuthorizationServer {
  /** Handles a request to an endpoint. Errors are responses too; it throws only if the server is at fault. */
  abstract answer(request: EndpointRequest): Promise<EndpointResponse>;

  /**
   * Returns the request that needs consent in this browser, which is identified by its cookies. Returns null if the
   * request is unknown, was completed, has expired, or belongs to another browser.
   */
  abstract pending(uid: string, cookie: string | undefined): Promise<PendingConsent | null>;

  /**
   * Approves the request with a grant that is already stored. Returns the URL to redirect to, or null in the same cases
   * as `pending`.
   */
  abstract approve(uid: string, cookie: string | undefined, grantId: string, userId: string): Promise<string | null>;

  /** Denies the request. Returns the URL that reports this to the client, or null in the same cases as `pending`. */
  abstract deny(uid: string, cookie: string | undefined): Promise<string | null>;
}

/** The parts of a grant that the protocol needs. */
export type AuthorizedGrant = {
  readonly userId: string;
  readonly clientId: string;
  readonly scopes: readonly AgentScope[];
  /** Creation time, in seconds since 1970. */
  readonly createdAt: number;
  readonly expiresAt: number;
};

/** Stores grants for the protocol. */
export interface ProtocolGrantStore {
  /** Returns the grant, or null if it was ended or has expired. */
  authorized(grantId: string): Promise<AuthorizedGrant | null>;
  /** Ends a grant and every code and token issued from it, immediately and in all processes. Idempotent. */
  endGrant(grantId: string): Promise<void>;
}

/** State of the protocol: a code, a token, or a request that needs consent. */
export type Artifact = {
  /** `AuthorizationCode`, `AccessToken`, `RefreshToken` or `Interaction`. IDs are only unique within a kind. */
  readonly kind: string;
  /** The secret itself. Only its hash is stored. */
  readonly id: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** The grant to which it belongs, or null if there is none yet. */
  readonly grantId: string | null;
  /** Lifetime in seconds. */
  readonly seconds: number;
};

export interface ArtifactStore {
  /**
   * Stores an artifact, replacing any with the same kind and ID. If its grant has ended, stores nothing and returns
   * false.
   */
  keep(artifact: Artifact): Promise<boolean>;
  /** Returns the stored payload and whether it was used, or null if it is unknown or has expired. */
  find(kind: string, id: string): Promise<{ readonly payload: Artifact['payload']; readonly used: boolean } | null>;
  /** Marks an artifact as used. If several callers try at the same time, only one call returns true. */
  use(kind: string, id: string): Promise<boolean>;
  drop(kind: string, id: string): Promise<void>;
}

/** Clients that registered themselves. */
export interface RegisteredClients {
  /** Stores a client. Unused clients are deleted after a while, and sooner if very many register. */
  register(clientId: string, metadata: Readonly<Record<string, unknown>>): Promise<void>;
  /** Returns the registered metadata of a client, or null if it is unknown or was deleted. */
  findClient(clientId: string): Promise<Readonly<Record<string, unknown>> | null>;
}
