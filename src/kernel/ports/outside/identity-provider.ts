/** Who a person is at an identity provider. */
export type Identity = { readonly issuer: string; readonly subject: string };

/** What is kept while a person is at the provider, so that only its answer to them is accepted. Secret. */
export type ProviderChallenge = { readonly nonce: string; readonly verifier: string };

/** A person as the identity provider knows them. */
export type ProviderProfile = {
  readonly identity: Identity;
  /** Only an address that the provider says it has verified. */
  readonly email: string | null;
  readonly name: string | null;
};

/** Where people sign in who have an account there (OpenID Connect Core 1.0: authorization code, PKCE, state, nonce). */
export abstract class IdentityProvider {
  /** What people call it; null where there is none. */
  abstract readonly name: string | null;

  /**
   * Begins a sign-in: where to send the browser, the `state` that comes back, and what to keep until then. Refuses with
   * `unavailable` within seconds where there is no provider, or none that answers.
   */
  abstract ask(): Promise<{ readonly href: string; readonly state: string; readonly asked: ProviderChallenge }>;

  /**
   * The person who came back with this query. Refuses with `invalid_token` for an answer that does not belong to the
   * challenge or is not valid, with `unauthenticated` where the provider has signed no person in, with `unavailable`
   * where it does not answer.
   */
  abstract whoCameBack(query: URLSearchParams, asked: ProviderChallenge): Promise<ProviderProfile>;
}
