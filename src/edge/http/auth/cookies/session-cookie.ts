import { cookieValues } from './cookie-values.js';

/** The session token of a browser (docs/interface/conventions.md, "Sessions"). */
export class SessionCookie {
  /**
   * Browsers accept a `__Host-` name only over HTTPS from the host itself, so other hosts of the domain can't set it.
   */
  readonly name: '__Host-stele_session' | 'stele_session';
  /** Follows `name=value` in `set-cookie`. */
  readonly attributes: string;

  constructor(baseUrl: string) {
    const secure = baseUrl.startsWith('https:');
    this.name = secure ? '__Host-stele_session' : 'stele_session';
    this.attributes = `HttpOnly; SameSite=Lax; Path=/${secure ? '; Secure' : ''}`;
  }

  /** Returns null if the cookie is missing or duplicated, because another host might have set a duplicate. */
  read(header: string | undefined): string | null {
    const [value, ...others] = cookieValues(header, this.name);
    return value === undefined || others.length > 0 ? null : value;
  }

  /** Reports whether the header contains the cookie, even if `read` returns null. */
  isIn(header: string | undefined): boolean {
    return cookieValues(header, this.name).length > 0;
  }
}
