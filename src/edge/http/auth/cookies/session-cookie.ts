import { cookieValues } from './cookie-values.js';

/** The cookie of a signed-in browser (docs/interface/conventions.md, "Sessions"). Its value is the session’s token. */
export class SessionCookie {
  /**
   * Browsers accept a `__Host-` name only from this very host over https, so that no other host of the domain can set
   * one.
   */
  readonly name: '__Host-stele_session' | 'stele_session';
  /** What follows `name=value` in `set-cookie`. */
  readonly attributes: string;

  constructor(baseUrl: string) {
    const secure = baseUrl.startsWith('https:');
    this.name = secure ? '__Host-stele_session' : 'stele_session';
    this.attributes = `HttpOnly; SameSite=Lax; Path=/${secure ? '; Secure' : ''}`;
  }

  /**
   * The value in a `cookie` header. Null without the cookie, and with several: there is no telling which one was set
   * here.
   */
  read(header: string | undefined): string | null {
    const [value, ...others] = cookieValues(header, this.name);
    return value === undefined || others.length > 0 ? null : value;
  }

  /** Whether a `cookie` header has the cookie, readable or not. */
  isIn(header: string | undefined): boolean {
    return cookieValues(header, this.name).length > 0;
  }
}
