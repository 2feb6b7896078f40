export type IssuedClaims = Readonly<Record<string, string>>;

/**
 * Issuers of OpenID Connect tokens for jobs (docs/interface/trusted-publishing.md, "Trusted publishing"). Only connects
 * to public addresses by HTTPS, unless the operator allows the host.
 */
export abstract class TokenIssuers {
  /** Refuses with `invalid_request` if the URL is not a valid issuer URL or must not be contacted. */
  abstract admit(issuer: string): Promise<void>;

  /** Returns the issuer named in a token, without verifying the token. Returns null if the string is not a token. */
  abstract issuerIn(token: string): string | null;

  /**
   * Verifies a token and returns its claims. The token must be signed by a key of this issuer, have only this
   * audience, and be valid now. Refuses with `invalid_token`, or with `unavailable` if the issuer does not respond.
   */
  abstract verify(
    token: string,
    expected: { readonly issuer: string; readonly audience: string },
  ): Promise<IssuedClaims>;
}
