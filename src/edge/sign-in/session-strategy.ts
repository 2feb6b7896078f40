import { Strategy } from 'passport';
import type { Session, Sessions } from '../../kernel/sessions.js';
import { hashSecret } from '../secrets.js';
import type { SessionCookie } from './session-cookie.js';

type Asking = {
  readonly headers: { readonly authorization?: string | undefined; readonly cookie?: string | undefined };
};

const BEARER = /^Bearer +(stele_session_[0-9A-Za-z]{49})$/i;

/**
 * Passport's part: who a session's token belongs to, from the bearer of a program or the cookie of a browser
 * (contract, section 1). Fails for a bearer that is no session any more; a cookie that is over is no cookie.
 */
export class SessionStrategy extends Strategy {
  override readonly name = 'session-token';

  constructor(
    private readonly sessions: Sessions,
    private readonly cookie: SessionCookie,
  ) {
    super();
  }

  override authenticate({ headers }: Asking): void {
    const bearer = BEARER.exec(headers.authorization ?? '')?.[1];
    const token = bearer ?? this.cookie.read(headers.cookie);
    if (token === null) {
      this.pass();
      return;
    }
    this.sessions.use(hashSecret(token)).then(
      (session) => {
        if (session) this.success(session satisfies Session);
        else if (bearer === undefined) this.pass();
        else this.fail('unknown');
      },
      (error: unknown) => this.error(error instanceof Error ? error : new Error(String(error))),
    );
  }
}
