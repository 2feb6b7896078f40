import {
  AuthorizationServer,
  type EndpointRequest,
  type EndpointResponse,
  type PendingConsent,
} from '../../kernel/ports/outside/authorization-server.js';

/** Loads the authorization server on first use. Most processes never need it, and loading it takes CPU time. */
export class AuthorizationServerWhenUsed extends AuthorizationServer {
  #loaded: Promise<AuthorizationServer> | null = null;

  constructor(private readonly load: () => Promise<AuthorizationServer>) {
    super();
  }

  override async answer(request: EndpointRequest): Promise<EndpointResponse> {
    return (await this.#server()).answer(request);
  }

  override async pending(uid: string, cookie: string | undefined): Promise<PendingConsent | null> {
    return (await this.#server()).pending(uid, cookie);
  }

  override async approve(uid: string, cookie: string | undefined, grantId: string, userId: string) {
    return (await this.#server()).approve(uid, cookie, grantId, userId);
  }

  override async deny(uid: string, cookie: string | undefined) {
    return (await this.#server()).deny(uid, cookie);
  }

  /** Loads the server. A failure is not cached, so that the next request tries again. */
  #server(): Promise<AuthorizationServer> {
    this.#loaded ??= this.load().catch((error) => {
      this.#loaded = null;
      throw error;
    });
    return this.#loaded;
  }
}
