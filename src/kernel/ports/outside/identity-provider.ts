/** Identifies a user at an identity provider. */
export type Identity = { readonly issuer: string; readonly subject: string };

/** Stored while a user is at the provider, so that only the matching response is accepted. Must be kept secret. */
export type ProviderChallenge = { readonly nonce: string; readonly verifier: string };

/** A user’s data from the identity provider. */
export type ProviderProfile = {
  readonly identity: Identity;
  /** The user's e-mail address, or null unless the provider has verified it. */
  readonly email: string | null;
  readonly name: string | null;
};

/** Signs users in with an external account (OpenID Connect Core 1.0: authorization code, PKCE, state, nonce). */
export abstract class IdentityProvider {
  /** The provider’s display name, or null if no provider is configured. */
  abstract readonly name: string | null;

  /**
   * Starts a sign-in. Returns the URL for the browser, the `state` that the provider will send back, and the challenge
   * to store until then. Refuses with `unavailable` within seconds if no provider is configured or it does not respond.
   */
  abstract ask(): Promise<{ readonly href: string; readonly state: string; readonly asked: ProviderChallenge }>;

  /**
   * Returns the user whom the provider sent back with this query. Refuses with `invalid_token` if the response is
   * invalid or does not match the challenge, with `unauthenticated` if the provider did not sign anyone in, and with
   * `unavailable` if it does not respond.
   */
  abstract whoCameBack(query: URLSearchParams, asked: ProviderChallenge): Promise<ProviderProfile>;
}
