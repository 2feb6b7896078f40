import { decodeJwt, errors, jwtVerify } from 'jose';
import { refuseInvalid } from '../../kernel/faults/schema-faults.js';
import { type IssuedClaims, TokenIssuers } from '../../kernel/ports/outside/token-issuers.js';
import { Refusal, refuse } from '../../kernel/refusal.js';
import { type CheckedHosts, checkedAddresses, UnacceptableResponseError } from '../network/checked-json.js';
import { IssuerKeys } from './issuer-keys.js';

/** Asymmetric algorithms. With a symmetric algorithm, callers could sign tokens with the public key as the secret. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** Maximum clock difference in seconds. */
const TOLERANCE_SECONDS = 30;

/** Maximum age of a token, whatever its expiry. GitLab’s tokens are valid for as long as the job is allowed to run. */
const MAX_TOKEN_AGE = '1 day';

const WITHIN_MS = 5_000;

/** Verifies tokens with the `jose` package, using keys found by OpenID Connect Discovery. */
export class JoseTokenIssuers extends TokenIssuers {
  readonly #keys: IssuerKeys;

  constructor(private readonly hosts: CheckedHosts) {
    super();
    this.#keys = new IssuerKeys(hosts);
  }

  override async admit(issuer: string): Promise<void> {
    const url = issuerUrl(issuer);
    if (!url) return unfit('must be a URL such as https://token.actions.githubusercontent.com');
    try {
      await checkedAddresses(url, this.hosts, { signal: AbortSignal.timeout(WITHIN_MS), plain: true });
    } catch (error) {
      unfit(error instanceof UnacceptableResponseError ? error.message : 'has a host name that could not be resolved');
    }
  }

  override issuerIn(token: string): string | null {
    try {
      return decodeJwt(token).iss ?? null;
    } catch {
      return null;
    }
  }

  override async verify(
    token: string,
    { issuer, audience }: { readonly issuer: string; readonly audience: string },
  ): Promise<IssuedClaims> {
    try {
      return await this.#verify(token, issuer, audience, false);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) return refused(error, audience);
      return this.#verify(token, issuer, audience, true).catch((again) => refused(again, audience));
    }
  }

  async #verify(token: string, issuer: string, audience: string, fresh: boolean): Promise<IssuedClaims> {
    const keys = await this.#keys.of(issuer, fresh).catch(withoutKeys);
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      audience,
      algorithms: ALGORITHMS,
      clockTolerance: TOLERANCE_SECONDS,
      maxTokenAge: MAX_TOKEN_AGE,
      requiredClaims: ['exp', 'iat', 'sub'],
    });
    // Allow only one audience. If a token also named another service, that service could use the token here.
    if ([payload.aud].flat().length !== 1)
      return refuse('invalid_token', `The token has several audiences. Request a token for ${audience} only.`);
    return Object.fromEntries(
      Object.entries(payload).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
  }
}

function unfit(message: string): never {
  return refuseInvalid({ path: 'issuer', message });
}

/** Parses an issuer's URL. Returns null unless it is in canonical form, because tokens contain exactly this string. */
function issuerUrl(issuer: string): URL | null {
  const url = URL.parse(issuer);
  if (!url || url.username || url.password || url.search || url.hash || /[?#]/.test(issuer)) return null;
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return null;
  return url.href === issuer || url.href === `${issuer}/` ? url : null;
}

function withoutKeys(error: unknown): never {
  if (error instanceof UnacceptableResponseError)
    return refuse('invalid_token', `Could not read the token issuer’s keys: the issuer ${error.message}.`);
  return refuse('unavailable', 'The token’s issuer did not return its keys. Try again.');
}

function refused(error: unknown, audience: string): never {
  if (error instanceof Refusal) throw error;
  if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'aud')
    return refuse('invalid_token', `The token is for a different audience. Request a token for ${audience}.`);
  return refuse('invalid_token', reasonOf(error));
}

function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired)
    return error.claim === 'iat' ? 'The token was issued more than a day ago.' : 'The token has expired.';
  if (error instanceof errors.JWTClaimValidationFailed)
    return `The token’s \`${error.claim}\` claim is ${error.reason === 'missing' ? 'missing' : 'not valid'}.`;
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'The token’s signature is not valid.';
  if (error instanceof errors.JWKSNoMatchingKey) return 'The token’s issuer has no key that matches the token.';
  if (error instanceof errors.JOSEAlgNotAllowed) return 'The token’s signature algorithm is not allowed.';
  if (error instanceof errors.JWTInvalid || error instanceof errors.JWSInvalid) return 'The token is malformed.';
  return 'The token could not be verified.';
}
