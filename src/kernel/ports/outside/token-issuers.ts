/** What a token of an issuer says, as far as it says it in text. */
export type IssuedClaims = Readonly<Record<string, string>>;

/**
 * Issuers of OpenID Connect tokens for jobs: services that vouch for what runs on them
 * (docs/interface/trusted-publishing.md, "Trusted publishing"). They are reached as repositories are: over https, at
 * public addresses that were checked, unless the operator lists the host.
 */
export abstract class TokenIssuers {
  /** Refuses with `invalid_request` an address that no issuer can have, or that may not be reached. */
  abstract admit(issuer: string): Promise<void>;

  /** The issuer that a token names, and nothing of it proven; null for what is no token. */
  abstract issuerIn(token: string): string | null;

  /**
   * What a token says, once it is proven: signed by a key of that issuer, for that audience alone, neither over nor from the
   * future. Refuses with `invalid_token`; with `unavailable` where the issuer does not answer.
   */
  abstract verify(
    token: string,
    expected: { readonly issuer: string; readonly audience: string },
  ): Promise<IssuedClaims>;
}
