/** Those claims of a token that are strings. */
export type IssuedClaims = Readonly<Record<string, string>>;

/**
 * Issuers of OpenID Connect tokens for jobs: services that vouch for what runs on them
 * (docs/interface/trusted-publishing.md, "Trusted publishing"). Connections follow the same rules as those for
 * repositories: they use HTTPS and checked public addresses, unless the operator allows the host.
 */
export abstract class TokenIssuers {
  /**
   * Checks the URL of an issuer. Refuses with `invalid_request` if it is not valid for an issuer or must not be
   * contacted.
   */
  abstract admit(issuer: string): Promise<void>;

  /** Returns the issuer that a token names, without verifying the token. Returns null if it is not a token. */
  abstract issuerIn(token: string): string | null;

  /**
   * Verifies a token and returns its claims. It must be signed by a key of that issuer, must be meant only for that
   * audience, and must be valid at the moment. Refuses with `invalid_token`, and with `unavailable` if the issuer does
   * not respond.
   */
  abstract verify(
    token: string,
    expected: { readonly issuer: string; readonly audience: string },
  ): Promise<IssuedClaims>;
}
