import type { IncomingHttpHeaders } from 'node:http';
import { Strategy } from 'passport';

export type CredentialRequest = { readonly headers: IncomingHttpHeaders };

/** The owner of a credential. Null means that the credential is ignored; false means that the request is refused. */
export type Verified<User> = User | null | false;

type Verify<Credential> = (credential: Credential, done: (error: unknown, verified: Verified<object>) => void) => void;

/**
 * A Passport strategy for credentials in headers. `read` finds the credential and refuses a malformed one. The
 * subclass’s `validate`, which Nest passes as `verify`, finds the owner of the credential.
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
