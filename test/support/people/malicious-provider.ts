import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

type Json = Record<string, unknown>;

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const keyPair = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const seconds = () => Math.floor(Date.now() / 1000);

/** An identity provider that violates the protocol as a test specifies. By default, every user is `eve`. */
export class MaliciousProvider {
  #key = keyPair();
  #formerKey = this.#key;
  readonly #otherKey = keyPair();
  readonly #server: Server;
  /** Responses by path that replace the default ones. */
  instead: Record<string, RequestListener> = {};
  /** Overrides members of the provider's metadata. */
  metadata: Json = {};
  /** Overrides claims of a valid token. */
  claims: Json = {};
  header: Json = {};
  /** The owner of the key that signs the tokens. */
  signer: 'itself' | 'its former key' | 'another' | 'nobody' | 'the client’s secret' = 'itself';
  userInfo: Json = {};
  /** The nonce in ID tokens. Tests set it, because no browser visits this provider. */
  nonce = '';
  readonly requests: string[] = [];

  private constructor() {
    this.#server = createServer((request, answer) => {
      const path = request.url?.split('?')[0] ?? '';
      this.requests.push(`${request.method} ${path}`);
      const listener = this.instead[path] ?? this.#usual[path];
      if (listener) listener(request, answer);
      else answer.writeHead(404).end();
    });
  }

  static async open(): Promise<MaliciousProvider> {
    const provider = new MaliciousProvider();
    provider.#server.listen(0, '127.0.0.1');
    await once(provider.#server, 'listening');
    return provider;
  }

  get issuer() {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get env() {
    return { OIDC_ISSUER: this.issuer, OIDC_CLIENT_ID: 'stele', OIDC_CLIENT_SECRET: 'hush', OIDC_NAME: 'Mallory’s' };
  }

  reset() {
    Object.assign(this, { instead: {}, metadata: {}, claims: {}, header: {}, signer: 'itself', userInfo: {} });
    this.requests.length = 0;
  }

  /** Signs with a new key from now on. The new key has the same ID as the old one. */
  changeKey() {
    this.#formerKey = this.#key;
    this.#key = keyPair();
  }

  readonly #usual: Record<string, RequestListener> = {
    '/.well-known/openid-configuration': says(() => ({
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      userinfo_endpoint: `${this.issuer}/userinfo`,
      jwks_uri: `${this.issuer}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      // Declares all algorithms as supported, so that a token is rejected for its signature and not for its algorithm.
      id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
      authorization_response_iss_parameter_supported: true,
      ...this.metadata,
    })),
    '/keys': says(() => ({
      keys: [{ ...this.#key.publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }],
    })),
    '/token': says(() => ({ access_token: 'access', token_type: 'Bearer', id_token: this.#idToken() })),
    '/userinfo': says(() => ({ sub: 'eve', ...this.userInfo })),
  };

  #idToken(): string {
    const claims = {
      iss: this.issuer,
      aud: 'stele',
      sub: 'eve',
      iat: seconds(),
      exp: seconds() + 300,
      nonce: this.nonce,
      email: 'eve@example.org',
      email_verified: true,
      ...this.claims,
    };
    const text = `${part({ alg: 'RS256', kid: 'one', typ: 'JWT', ...this.header })}.${part(claims)}`;
    return `${text}.${this.#signature(text)}`;
  }

  #signature(text: string): string {
    switch (this.signer) {
      case 'itself':
        return sign('sha256', Buffer.from(text), this.#key.privateKey).toString('base64url');
      case 'its former key':
        return sign('sha256', Buffer.from(text), this.#formerKey.privateKey).toString('base64url');
      case 'another':
        return sign('sha256', Buffer.from(text), this.#otherKey.privateKey).toString('base64url');
      case 'the client’s secret':
        return createHmac('sha256', 'hush').update(text).digest('base64url');
      case 'nobody':
        return '';
    }
  }

  close() {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const says =
  (what: () => Json): RequestListener =>
  (_, answer) =>
    void answer.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(what()));
