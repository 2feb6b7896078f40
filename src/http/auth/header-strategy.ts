import type { IncomingHttpHeaders } from 'node:http';
import { Strategy } from 'passport';

/** What is looked at: a request, or the handshake of a WebSocket. */
export type Asking = { readonly headers: IncomingHttpHeaders };

/** Whose a credential is. Null: it is as good as none. False: whoever sent it is to be told that it does not count. */
export type Verified<User> = User | null | false;

type Verify<Credential> = (credential: Credential, done: (error: unknown, verified: Verified<object>) => void) => void;

/** A Passport strategy for what stands in the headers. `read` finds it, `validate` of whoever extends this knows it. */
export class HeaderStrategy<Credential> extends Strategy {
  constructor(
    private readonly read: (headers: IncomingHttpHeaders) => Credential | null,
    private readonly verify: Verify<Credential>,
  ) {
    super();
  }

  override authenticate({ headers }: Asking): void {
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
