import { createHash, createPrivateKey, hkdfSync } from 'node:crypto';
import { type Context, errors, interactionPolicy } from 'oidc-provider';
import { AGENT_SCOPES, AUTHORIZATION_PATHS } from '../../kernel/ports/outside/authorization-server.js';
import { adapters, type Storage } from './artifact-adapter.js';
import { parseScopes } from './requested.js';

/** PKCS #8 header of an Ed25519 key, before the 32 bytes of the key (RFC 8410 section 7). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * Returns the signing key as a JWK, which the OAuth protocol requires us to publish. The key is derived from the root
 * key, so every process has the same key. Tokens are not signed with it, because they are looked up in the database.
 */
function signingKey(rootKey: Buffer) {
  const seed = Buffer.from(hkdfSync('sha256', rootKey, '', 'stele oauth signing', 32));
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' }).export({
    format: 'jwk',
  });
  const kid = createHash('sha256').update(String(key.x)).digest('base64url').slice(0, 16);
  return { ...key, kid, alg: 'EdDSA', use: 'sig' };
}

/** Returns the key that signs cookies, which bind a consent request to the browser that started it. */
const cookieKey = (rootKey: Buffer): string =>
  Buffer.from(hkdfSync('sha256', rootKey, '', 'stele oauth cookies', 32)).toString('base64url');

export type ProtocolOptions = {
  readonly baseUrl: string;
  /** The only resource for which tokens are issued. */
  readonly mcpUrl: string;
  readonly rootKey: Buffer;
  readonly storage: Storage;
  readonly makeToken: (kind: 'agent' | 'refresh') => string;
  readonly makeClientId: () => string;
  readonly isPerson: (userId: string) => Promise<boolean>;
  readonly fetch: (address: string | URL) => Promise<Response>;
};

/** Name of the session cookie of `oidc-provider`. It is never sent, because users sign in only on our own pages. */
export const SESSION_COOKIE = 'stele_oauth_session';

/** Lifetimes in seconds (docs/interface/mcp.md, "Connected apps"). */
const CODE_SECONDS = 60;
const ACCESS_TOKEN_SECONDS = 3_600;
const REFRESH_TOKEN_SECONDS = 30 * 86_400;
/** Lifetime of a consent request. The user may have to open a sign-in mail first. */
const CONSENT_SECONDS = 1_800;
/** Lifetime of artifacts that are never stored. `oidc-provider` requires a value for them as well. */
const UNUSED_SECONDS = 600;

/** Returns the spellings of a URL: as configured, with a slash at the end of the path, and without one. */
export function spellings(address: string): readonly string[] {
  const { href } = new URL(address);
  return [...new Set([address, href, href.replace(/\/$/, '')])];
}

export function buildConfiguration(options: ProtocolOptions) {
  const { mcpUrl, rootKey, storage } = options;
  const resources = spellings(mcpUrl);
  return {
    adapter: adapters(storage, resources),
    clientAuthMethods: ['none'],
    clientBasedCORS: () => true,
    clientDefaults: {
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: 'EdDSA',
    },
    cookies: {
      keys: [cookieKey(rootKey)],
      names: { session: SESSION_COOKIE, interaction: 'stele_oauth_consent', resume: 'stele_oauth_resume' },
    },
    allowOmittingSingleRegisteredRedirectUri: false,
    enableHttpPostMethods: false,
    expiresWithSession: () => false,
    features: {
      clientIdMetadataDocument: {
        enabled: true,
        ack: 'draft-02',
        allowFetch: () => true,
        allowClient: () => true,
        cacheDuration: { min: 60, max: 3_600 },
      },
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      registration: {
        enabled: true,
        initialAccessToken: false,
        issueRegistrationAccessToken: false,
        idFactory: options.makeClientId,
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: (_: Context, __: object, oneOf: unknown) => {
          if (oneOf) return oneOf;
          throw new errors.InvalidTarget(`resource is required and must be ${mcpUrl}`);
        },
        getResourceServerInfo: ({ oidc }: Context, resource: string) => {
          if (!resources.includes(resource)) throw new errors.InvalidTarget(`resource must be ${mcpUrl}`);
          const { scope } = oidc.params ?? {};
          if (scope !== undefined && parseScopes(scope).length === 0)
            throw new errors.InvalidScope(`scope must contain at least one of ${AGENT_SCOPES.join(', ')}`, scope);
          return { scope: AGENT_SCOPES.join(' '), audience: mcpUrl, accessTokenFormat: 'opaque' };
        },
        useGrantedResource: () => true,
      },
      revocation: {
        enabled: true,
        allowedPolicy: (_: Context, client: { clientId: string }, token: { clientId: string }) =>
          token.clientId === client.clientId,
      },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
    },
    fetch: options.fetch,
    fetchResponseBodyLimits: { 'client_id metadata document': 65_536 },
    findAccount: async (_: Context, userId: string) =>
      (await options.isPerson(userId)) ? { accountId: userId, claims: async () => ({ sub: userId }) } : undefined,
    interactions: {
      policy: [consent, ...['login', 'select_account'].map((name) => new Prompt({ name, requestable: true }))],
      url: (_: Context, { uid }: { readonly uid: string }) => `${AUTHORIZATION_PATHS.consent}/${uid}`,
    },
    issueRefreshToken: () => true,
    jwks: { keys: [signingKey(rootKey)] },
    loadExistingGrant: ({ oidc: { result, provider } }: Context) =>
      result?.consent?.grantId === undefined ? undefined : provider.Grant.find(result.consent.grantId),
    pkce: { required: () => true },
    renderError: (context: Context, out: object) => {
      context.body = out;
    },
    responseTypes: ['code'],
    revokeGrantPolicy: () => true,
    rotateRefreshToken: () => true,
    routes: {
      authorization: AUTHORIZATION_PATHS.authorization,
      token: AUTHORIZATION_PATHS.token,
      registration: AUTHORIZATION_PATHS.registration,
      revocation: AUTHORIZATION_PATHS.revocation,
      jwks: AUTHORIZATION_PATHS.keys,
    },
    scopes: [],
    ttl: {
      AuthorizationCode: CODE_SECONDS,
      AccessToken: ACCESS_TOKEN_SECONDS,
      RefreshToken: REFRESH_TOKEN_SECONDS,
      Interaction: CONSENT_SECONDS,
      Grant: REFRESH_TOKEN_SECONDS,
      IdToken: UNUSED_SECONDS,
      Session: UNUSED_SECONDS,
    },
  };
}

const { Prompt, Check } = interactionPolicy;

/** Asks for consent on our page for every request, even if the user has consented before. */
const consent = new Prompt(
  { name: 'consent', requestable: true },
  new Check(
    'consent_needed',
    'the user has not consented yet',
    'interaction_required',
    ({ oidc }) => oidc.result?.consent?.grantId === undefined,
  ),
);
