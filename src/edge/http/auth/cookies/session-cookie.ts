import { cookieValues } from './cookie-values.js';

/** The cookie with a browser's session token (docs/interface/conventions.md, "Sessions"). */
export class SessionCookie {
  /** Over HTTPS, the name begins with `__Host-`, so that no other host of the domain can set the cookie. */
  readonly name: '__Host-stele_session' | 'stele_session';
  /** The attributes in the `set-cookie` header, which follow `name=value`. */
  readonly attributes: string;

  constructor(baseUrl: string) {
    const secure = baseUrl.startsWith('https:');
    this.name = secure ? '__Host-stele_session' : 'stele_session';
    this.attributes = `HttpOnly; SameSite=Lax; Path=/${secure ? '; Secure' : ''}`;
  }

  /** Returns the cookie's value, or null if it is missing or duplicated: another host might have set a duplicate. */
  read(header: string | undefined): string | null {
    const [value, ...others] = cookieValues(header, this.name);
    return value === undefined || others.length > 0 ? null : value;
  }

  /** Reports whether the header contains the cookie, even if `read` returns null. */
  isIn(header: string | undefined): boolean {
    return cookieValues(header, this.name).length > 0;
  }
}
