import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  type ServerMetadata,
} from 'openid-client';
import {
  IdentityProvider,
  type ProviderChallenge,
  type ProviderProfile,
} from '../../kernel/ports/outside/identity-provider.js';
import { Refusal, refuse } from '../../kernel/refusal.js';
import { boundedFetch } from './bounded-fetch.js';
import { ExpiringValue } from './expiring-value.js';
import { describeProviderError, providerUnavailable, refusesClient, toProviderRefusal } from './provider-fault.js';

/** Time limit for discovery. The later requests that complete a sign-in share a separate limit of the same length. */
const WITHIN_MS = 5_000;
const METADATA_FOR_MS = 600_000;

/** Format of a subject: up to 255 ASCII characters (OpenID Connect Core 1.0, section 2). */
const SUBJECT = /^[\x20-\x7e]{1,255}$/;

const NEEDED = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;

type OpenIdOptions = {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | null;
  readonly name: string;
  /** The redirect URI, exactly as registered with the provider. */
  readonly redirectUri: string;
  readonly warn: (line: string) => void;
};

type ProfileClaims = Readonly<Record<string, unknown>>;

/**
 * An OpenID Connect provider, discovered from its issuer. Metadata is cached for ten minutes. Keys are read again for
 * each sign-in, so that a withdrawn key is no longer accepted.
 */
export class OpenIdProvider extends IdentityProvider {
  override readonly name: string;
  readonly #metadata: ExpiringValue<ServerMetadata>;

  constructor(private readonly options: OpenIdOptions) {
    super();
    this.name = options.name;
    this.#metadata = new ExpiringValue(() => this.#discover(), METADATA_FOR_MS);
  }

  override ask() {
    return this.#asking('start a sign-in', async () => {
      const [state, nonce, verifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()];
      const config = this.#configured(await this.#metadata.get(), None(), AbortSignal.timeout(WITHIN_MS));
      const href = buildAuthorizationUrl(config, {
        redirect_uri: this.options.redirectUri,
        scope: 'openid email profile',
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      }).href;
      return { href, state, asked: { nonce, verifier } };
    });
  }

  override whoCameBack(query: URLSearchParams, asked: ProviderChallenge): Promise<ProviderProfile> {
    return this.#asking('complete a sign-in', async () => {
      const server = await this.#metadata.get();
      const { config, tokens } = await this.#redeem(server, query, asked);
      const claims = tokens.claims();
      if (!claims || !SUBJECT.test(claims.sub))
        return refuse('invalid_token', `${this.name} did not return a valid user ID.`);
      const profile: ProfileClaims =
        claims.email_verified === true || server.userinfo_endpoint === undefined
          ? claims
          : await fetchUserInfo(config, tokens.access_token, claims.sub);
      return {
        identity: { issuer: claims.iss, subject: claims.sub },
        email: profile.email_verified === true && typeof profile.email === 'string' ? profile.email : null,
        name: shownName(profile.name),
      };
    });
  }

  /**
   * Redeems a code. Tries each authentication method of the provider, because the method depends on how the client is
   * registered there.
   */
  async #redeem(server: ServerMetadata, query: URLSearchParams, { nonce, verifier }: ProviderChallenge) {
    const cameBackTo = new URL(`${this.options.redirectUri}?${query}`);
    const deadline = AbortSignal.timeout(WITHIN_MS);
    const [first, ...others] = waysToProve(server, this.options.clientSecret);
    const by = async (way: ClientAuth) => {
      const config = this.#configured(server, way, deadline);
      const tokens = await authorizationCodeGrant(config, cameBackTo, {
        expectedState: query.get('state') ?? '',
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      return { config, tokens };
    };
    return others.reduce(
      (tried, way) => tried.catch((error: unknown) => (refusesClient(error) ? by(way) : Promise.reject(error))),
      by(first),
    );
  }

  async #discover(): Promise<ServerMetadata> {
    const { issuer, clientId, warn } = this.options;
    const found = await discovery(new URL(issuer), clientId, undefined, None(), {
      [customFetch]: boundedFetch(AbortSignal.timeout(WITHIN_MS)),
      ...(this.#isPlain && { execute: [allowInsecureRequests] }),
    }).catch((error: unknown) => {
      warn(`Could not read the metadata of ${issuer}: ${describeProviderError(error)}`);
      throw providerUnavailable(this.name);
    });
    const server = found.serverMetadata();
    const missing = NEEDED.filter((name) => !this.#canRequest(server[name]));
    if (missing.length === 0) return server;
    warn(`The metadata of ${issuer} has no usable ${missing.join(', ')}`);
    throw providerUnavailable(this.name);
  }

  #canRequest(address: string | undefined): boolean {
    const protocol = URL.parse(address ?? '')?.protocol;
    return protocol === 'https:' || (this.#isPlain && protocol === 'http:');
  }

  /** Creates a new configuration for each sign-in, because a configuration caches keys. */
  #configured(server: ServerMetadata, way: ClientAuth, deadline: AbortSignal): Configuration {
    const { clientId, clientSecret } = this.options;
    const config = new Configuration({ ...server }, clientId, clientSecret ?? undefined, way);
    config[customFetch] = boundedFetch(deadline);
    enableNonRepudiationChecks(config);
    if (this.#isPlain) allowInsecureRequests(config);
    return config;
  }

  /** Whether plain http is allowed. The settings allow it only for an issuer on this machine. */
  get #isPlain() {
    return this.options.issuer.startsWith('http:');
  }

  async #asking<Answer>(what: string, work: () => Promise<Answer>): Promise<Answer> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Refusal) throw error;
      const refusal = toProviderRefusal(error, this.name);
      if (refusal.code !== 'unauthenticated') this.options.warn(`Could not ${what}: ${describeProviderError(error)}`);
      throw refusal;
    }
  }
}

/** Returns the client authentication methods to try. The default is `client_secret_basic` (RFC 8414, section 2). */
function waysToProve(server: ServerMetadata, secret: string | null): readonly [ClientAuth, ...ClientAuth[]] {
  if (secret === null) return [None()];
  const offered = server.token_endpoint_auth_methods_supported ?? [];
  if (!offered.includes('client_secret_post')) return [ClientSecretBasic()];
  return offered.includes('client_secret_basic') ? [ClientSecretBasic(), ClientSecretPost()] : [ClientSecretPost()];
}

function shownName(name: unknown): string | null {
  if (typeof name !== 'string') return null;
  return (
    name
      .replace(/\p{C}+/gu, ' ')
      .trim()
      .slice(0, 100)
      .trim() || null
  );
}
