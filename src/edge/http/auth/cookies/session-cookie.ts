import { cookieValues } from './cookie-values.js';

/** The cookie of a signed-in browser (docs/interface/conventions.md, "Sessions"). Its value is the session token. */
export class SessionCookie {
  /**
   * Browsers accept a `__Host-` name only over HTTPS and from the host itself, so that no other host of the domain can
   * set one.
   */
  readonly name: '__Host-stele_session' | 'stele_session';
  /** The part of `set-cookie` after `name=value`. */
  readonly attributes: string;

  constructor(baseUrl: string) {
    const secure = baseUrl.startsWith('https:');
    this.name = secure ? '__Host-stele_session' : 'stele_session';
    this.attributes = `HttpOnly; SameSite=Lax; Path=/${secure ? '; Secure' : ''}`;
  }

  /**
   * The value in a `cookie` header. Null if the cookie is missing, or if there are several, because any of them may
   * have been set by another host.
   */
  read(header: string | undefined): string | null {
    const [value, ...others] = cookieValues(header, this.name);
    return value === undefined || others.length > 0 ? null : value;
  }

  /** Whether a `cookie` header contains the cookie, readable or not. */
  isIn(header: string | undefined): boolean {
    return cookieValues(header, this.name).length > 0;
  }
}
