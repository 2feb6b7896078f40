import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

export type Account = { readonly email?: string; readonly email_verified?: boolean | string; readonly name?: string };

export const CLIENT = { id: 'stele', secret: 'what only stele and the provider know' };

/** A certified OpenID Connect provider (`oidc-provider`) on loopback. Its sign-in page accepts any password. */
export class RealProvider {
  readonly #server;
  #listener: RequestListener = (_, answer) => void answer.writeHead(503).end();
  /** All received requests, as `METHOD path`. */
  readonly requests: string[] = [];

  private constructor(readonly accounts: Record<string, Account>) {
    this.#server = createServer((request, answer) => {
      this.requests.push(`${request.method} ${request.url?.split('?')[0]}`);
      this.#listener(request, answer);
    });
  }

  static async open(accounts: Record<string, Account>): Promise<RealProvider> {
    const provider = new RealProvider(accounts);
    provider.#server.listen(0, '127.0.0.1');
    await once(provider.#server, 'listening');
    return provider;
  }

  get issuer() {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get env() {
    return {
      OIDC_ISSUER: this.issuer,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
      OIDC_NAME: 'Example & Co',
    };
  }

  /** Registers the service at this address as a client. Before that, the provider responds with 503. */
  serve(serviceUrl: string, method: 'client_secret_basic' | 'client_secret_post' = 'client_secret_basic') {
    const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
    const provider = madeForTests(this.issuer, {
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          redirect_uris: [`${serviceUrl}/v1/auth/idp/callback`],
          token_endpoint_auth_method: method,
        },
      ],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      features: { devInteractions: { enabled: true } },
      ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600, AuthorizationCode: 60 },
      pkce: { required: () => true },
      cookies: { keys: [randomBytes(16).toString('hex')] },
      jwks: { keys: [{ ...key, use: 'sig', alg: 'RS256', kid: 'first' }] },
      findAccount: (_: unknown, id: string) => ({
        accountId: id,
        claims: () => ({ sub: id, ...this.accounts[id] }),
      }),
    });
    this.#listener = provider.callback();
  }

  async close() {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** Suppresses warnings about in-memory storage and development pages, which tests use on purpose. */
function madeForTests(...given: ConstructorParameters<typeof Provider>): Provider {
  const { warn } = console;
  console.warn = (...words: unknown[]) => {
    if (!/quick start development-only (in-memory adapter|feature devInteractions) is/.test(String(words[0])))
      warn.apply(console, words);
  };
  try {
    return new Provider(...given);
  } finally {
    console.warn = warn;
  }
}
