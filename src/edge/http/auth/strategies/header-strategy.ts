import type { IncomingHttpHeaders } from 'node:http';
import { Strategy } from 'passport';

/** The headers of a request or of a WebSocket handshake. */
export type CredentialRequest = { readonly headers: IncomingHttpHeaders };

/**
 * The owner of a credential. Null means that the credential should be ignored, and false that the request should be
 * refused.
 */
export type Verified<User> = User | null | false;

type Verify<Credential> = (credential: Credential, done: (error: unknown, verified: Verified<object>) => void) => void;

/**
 * A Passport strategy for a credential in the headers. `read` finds the credential and refuses it if it is malformed.
 * The subclass’s `validate` method, which Nest passes as `verify`, finds the credential's owner.
 */
export class HeaderStrategy<Credential> extends Strategy {
  constructor(
    private readonly read: (headers: IncomingHttpHeaders) => Credential | null,
    private readonly verify: Verify<Credential>,
  ) {
    super();
  }

  override authenticate({ headers }: CredentialRequest): void {
    const credential = this.read(headers);
    if (credential === null) {
      this.pass();
      return;
    }
    this.verify(credential, (error, verified) => {
      if (error) this.error(error instanceof Error ? error : new Error(String(error)));
      else if (verified) this.success(verified);
      else if (verified === null) this.pass();
      else this.fail('unknown');
    });
  }
}
