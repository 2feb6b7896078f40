export type Identity = { readonly issuer: string; readonly subject: string };

/** Ties the provider's response to one sign-in. Must be kept secret. */
export type ProviderChallenge = { readonly nonce: string; readonly verifier: string };

export type ProviderProfile = {
  readonly identity: Identity;
  /** The user's email address, or null unless the provider has verified it. */
  readonly email: string | null;
  readonly name: string | null;
};

/** Signs users in with an external account (OpenID Connect Core 1.0: authorization code, PKCE, state, nonce). */
export abstract class IdentityProvider {
  /** The provider's display name, or null if no provider is configured. */
  abstract readonly name: string | null;

  /**
   * Starts a sign-in. Returns the URL for the browser, the `state` to expect in the response, and the challenge, which
   * must be stored until the response arrives. Refuses with `unavailable` if no provider is configured or the provider
   * does not respond within seconds.
   */
  abstract ask(): Promise<{ readonly href: string; readonly state: string; readonly asked: ProviderChallenge }>;

  /**
   * Returns the user whom the provider sent back with this query. Refuses with `invalid_token` if the response is
   * invalid or does not match the challenge, with `unauthenticated` if nobody signed in, and with `unavailable` if the
   * provider does not respond.
   */
  abstract whoCameBack(query: URLSearchParams, asked: ProviderChallenge): Promise<ProviderProfile>;
}
