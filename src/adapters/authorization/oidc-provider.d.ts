declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

  /** The package has no types. This declares only the parts that we use. */
  export class Provider {
    constructor(issuer: string, configuration: object);
    callback(): RequestListener;

    /** Inherited from Koa. True if `x-forwarded-…` headers are trusted. */
    proxy: boolean;
    readonly middleware: readonly Middleware[];
    createContext(request: IncomingMessage, response: ServerResponse): Context;
    use(middleware: Middleware): this;
    on(event: 'server_error', listener: (context: Context, error: unknown) => void): this;

    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
    interactionResult(
      request: IncomingMessage,
      response: ServerResponse,
      result: object,
      options: { readonly mergeWithLastSubmission: boolean },
    ): Promise<string>;
    readonly Client: { find(clientId: string): Promise<Client | undefined> };
    readonly AccessToken: { readonly prototype: TokenPrototype };
    readonly RefreshToken: { readonly prototype: TokenPrototype };
  }

  export type TokenPrototype = { generateTokenId(this: TokenPrototype): string };

  export type Middleware = (context: Context, next: () => Promise<unknown>) => unknown;

  export type Context = {
    readonly path: string;
    query: Record<string, string | string[] | undefined>;
    status: number;
    body: unknown;
    readonly response: { readonly headers: Readonly<Record<string, number | string | string[] | undefined>> };
    readonly oidc: {
      readonly client?: Client;
      readonly params?: { readonly scope?: string };
      readonly result?: { readonly consent?: { readonly grantId?: string } };
      readonly provider: { readonly Grant: { find(grantId: string): Promise<object | undefined> } };
    };
  };

  export type Client = {
    readonly clientId: string;
    readonly clientName?: string;
    readonly clientIdMetadataDocument?: boolean;
  };

  export type Interaction = {
    readonly uid: string;
    readonly params: Readonly<Record<string, unknown>>;
  };

  type Check = { readonly reason: string };
  export const interactionPolicy: {
    readonly Prompt: new (
      given: { readonly name: string; readonly requestable: boolean },
      ...checks: Check[]
    ) => object;
    readonly Check: new (
      reason: string,
      description: string,
      error: string,
      check: (context: Context) => boolean,
    ) => Check;
  };

  export const errors: {
    /** The base class of all errors that the client caused. */
    readonly OIDCProviderError: new (
      ...given: never[]
    ) => Error;
    readonly InvalidGrant: new (description: string) => Error;
    readonly InvalidTarget: new (description: string) => Error;
    readonly InvalidScope: new (description: string, scope?: string) => Error;
    readonly SessionNotFound: new (description: string) => Error;
  };
}
