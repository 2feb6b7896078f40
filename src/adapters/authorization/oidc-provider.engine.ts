import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { type Context, errors, Provider, type TokenPrototype } from 'oidc-provider';
import { StoreUnavailableError } from '../../kernel/event-store.js';
import { StorageFullError } from '../../kernel/faults/storage-full.js';
import {
  AUTHORIZATION_PATHS,
  AuthorizationServer,
  type EndpointRequest,
  type EndpointResponse,
  type PendingConsent,
} from '../../kernel/ports/outside/authorization-server.js';
import { clientMetadata, isFault, type MetadataFault } from './client-metadata.js';
import { cleanClientName } from './client-name.js';
import { buildConfiguration, type ProtocolOptions, SESSION_COOKIE } from './configuration.js';
import { normalizeRequest, parseScopes } from './requested.js';

/**
 * Implements the OAuth authorization server with the certified package `oidc-provider`, and our storage, keys and
 * pages. The package handles requests that are built here from the permitted parts of the real request, after the hooks
 * of all routes have run. URLs in responses are therefore derived from the settings, not from the Host header.
 */
export class OidcProvider extends AuthorizationServer {
  readonly #provider: Provider;
  readonly #base: URL;
  /** Errors that `oidc-provider` reported, by request. */
  readonly #met = new WeakMap<Context, unknown>();

  constructor({ baseUrl, mcpUrl, ...options }: ProtocolOptions & { readonly warn: (line: string) => void }) {
    super();
    this.#base = new URL(baseUrl);
    this.#provider = new Provider(baseUrl, buildConfiguration({ ...options, baseUrl, mcpUrl }));
    // The `x-forwarded-…` headers can be trusted, because they are set here.
    this.#provider.proxy = true;
    this.#provider.use(normalizeRequest);
    nameTokens(this.#provider.AccessToken.prototype, () => options.makeToken('agent'));
    nameTokens(this.#provider.RefreshToken.prototype, () => options.makeToken('refresh'));
    this.#provider.on('server_error', (context, error) => {
      this.#met.set(context, error);
      if (isPassing(error)) return;
      options.warn(error instanceof Error ? (error.stack ?? error.message) : String(error));
    });
  }

  override async answer(given: EndpointRequest): Promise<EndpointResponse> {
    const request = given.url === AUTHORIZATION_PATHS.registration ? withMetadata(given) : given;
    if ('member' in request) return invalidMetadata(request);
    const { message, response } = this.#exchange(request);
    response.statusCode = 404;
    const context = this.#provider.createContext(message, response);
    await run(this.#provider, context);
    // `oidc-provider` turns transient faults into server errors, which clients do not retry. Rethrow the original fault
    // instead.
    const met = this.#met.get(context);
    if (isPassing(met)) throw met;
    const { location, 'set-cookie': cookies } = context.response.headers;
    return {
      status: context.status,
      json: context.body === '' ? null : (context.body ?? null),
      location: typeof location === 'string' ? location : null,
      cookies: [cookies ?? []]
        .flat()
        .map(String)
        .filter((cookie) => !cookie.startsWith(SESSION_COOKIE)),
    };
  }

  override async pending(uid: string, cookie: string | undefined): Promise<PendingConsent | null> {
    const interaction = await this.#interaction(uid, cookie);
    if (!interaction) return null;
    const { client_id: clientId, redirect_uri: redirectUri, scope } = interaction.params;
    const client = typeof clientId === 'string' ? await this.#client(clientId) : undefined;
    if (!client || typeof redirectUri !== 'string') return null;
    const { host, protocol } = new URL(redirectUri);
    return {
      clientId: client.clientId,
      clientName: cleanClientName(client.clientName ?? '') || host || protocol.slice(0, -1),
      documentHost: client.clientIdMetadataDocument ? new URL(client.clientId).host : null,
      redirectUri,
      scopes: parseScopes(scope),
    };
  }

  /**
   * Returns a client, or undefined if the client is unknown or its metadata document became invalid during the
   * request.
   */
  async #client(clientId: string) {
    try {
      return await this.#provider.Client.find(clientId);
    } catch (error) {
      if (error instanceof errors.OIDCProviderError) return undefined;
      throw error;
    }
  }

  override approve(uid: string, cookie: string | undefined, grantId: string, userId: string) {
    const login = { accountId: userId, remember: false };
    // Include a result for every prompt that a client can request, because our consent page covers them all.
    return this.#finish(uid, cookie, { login, consent: { grantId }, select_account: {} });
  }

  override deny(uid: string, cookie: string | undefined) {
    return this.#finish(uid, cookie, { error: 'access_denied', error_description: 'the user denied access' });
  }

  async #finish(uid: string, cookie: string | undefined, result: object): Promise<string | null> {
    if (!(await this.#interaction(uid, cookie))) return null;
    const { message, response } = this.#exchange({ method: 'POST', url: '/', cookie });
    const next = new URL(
      await this.#provider.interactionResult(message, response, result, { mergeWithLastSubmission: false }),
    );
    return `${next.pathname}${next.search}`;
  }

  async #interaction(uid: string, cookie: string | undefined) {
    const { message, response } = this.#exchange({ method: 'GET', url: '/', cookie });
    try {
      const interaction = await this.#provider.interactionDetails(message, response);
      return interaction.uid === uid ? interaction : null;
    } catch (error) {
      if (error instanceof errors.SessionNotFound) return null;
      throw error;
    }
  }

  #exchange({ method, url, cookie, contentType, body }: EndpointRequest) {
    const message = new IncomingMessage(new Socket());
    message.method = method;
    message.url = url;
    message.headers = {
      host: this.#base.host,
      'x-forwarded-proto': this.#base.protocol.slice(0, -1),
      accept: 'application/json',
      ...(cookie !== undefined && { cookie }),
      ...(body !== undefined && {
        'content-type': contentType,
        'content-length': String(Buffer.byteLength(body)),
      }),
    };
    if (body !== undefined) message.push(body);
    message.push(null);
    return { message, response: new ServerResponse(message) };
  }
}

const isPassing = (error: unknown) => error instanceof StoreUnavailableError || error instanceof StorageFullError;

/** Makes `oidc-provider` generate tokens in our own format, which scanners for leaked tokens recognize. */
function nameTokens(tokens: TokenPrototype, make: () => string) {
  const { generateTokenId } = tokens;
  tokens.generateTokenId = function () {
    // The call records the token’s format on the token. The ID that it returns is not used.
    generateTokenId.call(this);
    return make();
  };
}

function withMetadata(request: EndpointRequest): EndpointRequest | MetadataFault {
  const given: unknown = JSON.parse(request.body ?? '{}');
  const metadata = clientMetadata(typeof given === 'object' ? { ...given } : {});
  return isFault(metadata) ? metadata : { ...request, body: JSON.stringify(metadata) };
}

/** Builds the error response of RFC 7591 section 3.2.2. */
const invalidMetadata = ({ member, message }: MetadataFault): EndpointResponse => ({
  status: 400,
  json: {
    error: member === 'redirect_uris' ? 'invalid_redirect_uri' : 'invalid_client_metadata',
    error_description: `${member} ${message}`,
  },
  location: null,
  cookies: [],
});

/** Runs the middleware like Koa, but without writing to a connection. */
async function run({ middleware }: Provider, context: Context): Promise<void> {
  const step = async (at: number): Promise<unknown> => middleware[at]?.(context, () => step(at + 1));
  await step(0);
}
