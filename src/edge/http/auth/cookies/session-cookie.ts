import { cookieValues } from './cookie-values.js';

/** The cookie of a signed-in browser (docs/interface/conventions.md, "Sessions"). Its value is the session token. */
export class SessionCookie {
  /**
   * Browsers accept a `__Host-` name only over HTTPS and from the host itself, so no other host of the domain can set
   * it.
   */
  readonly name: '__Host-stele_session' | 'stele_session';
  /** The part of `set-cookie` that follows `name=value`. */
  readonly attributes: string;

  constructor(baseUrl: string) {
    const secure = baseUrl.startsWith('https:');
    this.name = secure ? '__Host-stele_session' : 'stele_session';
    this.attributes = `HttpOnly; SameSite=Lax; Path=/${secure ? '; Secure' : ''}`;
  }

  /**
   * Returns the cookie's value from a `cookie` header. Returns null if the cookie is missing or appears more than once,
   * because another host might have set any of the duplicates.
   */
  read(header: string | undefined): string | null {
    const [value, ...others] = cookieValues(header, this.name);
    return value === undefined || others.length > 0 ? null : value;
  }

  /** Reports whether a `cookie` header contains the cookie, even if it cannot be read. */
  isIn(header: string | undefined): boolean {
    return cookieValues(header, this.name).length > 0;
  }
}
