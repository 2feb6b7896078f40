import type { OAuthScope } from '../oauth-grants.js';

/** Endpoint paths, relative to the service's base URL. */
export const AUTHORIZATION_PATHS = {
  authorization: '/oauth/authorize',
  consent: '/oauth/consent',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  keys: '/oauth/keys',
} as const;

export const DEFAULT_SCOPES: readonly OAuthScope[] = ['read', 'publish'];

export const AGENT_SCOPES: readonly OAuthScope[] = ['read', 'publish', 'manage'];

export type EndpointRequest = {
  readonly method: 'GET' | 'POST';
  /** The path and the query of the request. */
  readonly url: string;
  readonly cookie: string | undefined;
  readonly contentType?: string;
  /** The unparsed body. The server parses it itself, because it must refuse a form field that occurs twice. */
  readonly body?: string;
};

export type EndpointResponse = {
  readonly status: number;
  readonly json: unknown;
  readonly location: string | null;
  /** Values of `set-cookie` headers. */
  readonly cookies: readonly string[];
};

export type PendingConsent = {
  readonly clientId: string;
  /** The client's own name, without deceptive characters, or else the host or scheme of its redirect URI. */
  readonly clientName: string;
  /** The host of the client’s metadata document, which vouches for the client. Null if the client registered itself. */
  readonly documentHost: string | null;
  /** The registered and verified redirect URI. */
  readonly redirectUri: string;
  readonly scopes: readonly OAuthScope[];
};

/**
 * Lets connected apps act for users (OAuth 2.1). The server has no pages or users of its own. To obtain consent, it
 * redirects the browser to a page of the service, `{consent}/{uid}`. Cookies identify the browser.
 */
export abstract class AuthorizationServer {
  /** Handles a request to an endpoint. Returns protocol errors as responses. Throws only if the server is at fault. */
  abstract answer(request: EndpointRequest): Promise<EndpointResponse>;

  /**
   * Returns the request that needs consent in the browser with these cookies. Returns null if the request is unknown,
   * completed, expired, or belongs to another browser.
   */
  abstract pending(uid: string, cookie: string | undefined): Promise<PendingConsent | null>;

  /**
   * Approves the request with a grant that is already stored. Returns the redirect URL, or null if `pending` would
   * return null.
   */
  abstract approve(uid: string, cookie: string | undefined, grantId: string, userId: string): Promise<string | null>;

  /** Denies the request. Returns the redirect URL that informs the client, or null if `pending` would return null. */
  abstract deny(uid: string, cookie: string | undefined): Promise<string | null>;
}

export type AuthorizedGrant = {
  readonly userId: string;
  readonly clientId: string;
  readonly scopes: readonly OAuthScope[];
  /** Creation time, in seconds since 1970. */
  readonly createdAt: number;
  readonly expiresAt: number;
};

export interface ProtocolGrantStore {
  /** Returns the grant, or null if it was ended or has expired. */
  authorized(grantId: string): Promise<AuthorizedGrant | null>;
  /** Ends a grant and all its codes and tokens immediately, in all processes. Idempotent. */
  endGrant(grantId: string): Promise<void>;
}

/** An artifact of the OAuth server: a code, a token, or a request that needs consent. */
export type Artifact = {
  /** `AuthorizationCode`, `AccessToken`, `RefreshToken` or `Interaction`. IDs are only unique within a kind. */
  readonly kind: string;
  /** The secret value of the artifact, such as a token. Only its hash is stored. */
  readonly id: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** The grant to which the artifact belongs, or null if there is none yet. */
  readonly grantId: string | null;
  readonly seconds: number;
};

export interface ArtifactStore {
  /**
   * Stores an artifact. Replaces an artifact of the same kind with the same ID. If the grant has ended, stores nothing
   * and returns false.
   */
  keep(artifact: Artifact): Promise<boolean>;
  /** Returns an artifact's payload and whether it was used, or null if it is unknown or has expired. */
  find(kind: string, id: string): Promise<{ readonly payload: Artifact['payload']; readonly used: boolean } | null>;
  /** Marks an artifact as used. Of several concurrent calls, only one returns true. */
  use(kind: string, id: string): Promise<boolean>;
  drop(kind: string, id: string): Promise<void>;
}

export interface RegisteredClients {
  /** Stores a client. Clients that are not used are deleted after a while, or sooner if very many clients register. */
  register(clientId: string, metadata: Readonly<Record<string, unknown>>): Promise<void>;
  findClient(clientId: string): Promise<Readonly<Record<string, unknown>> | null>;
}
