declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  /** What the tests need of it: the package has no types. */
  export class Provider {
    constructor(issuer: string, configuration: object);
    callback(): RequestListener;
  }
}
