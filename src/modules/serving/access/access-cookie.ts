import { cookieValues } from '../../../edge/http/auth/cookies/cookie-values.js';

/** Access cookie of a visitor who was admitted. Valid for one host, with a sealed value (`AccessSeals`). */
export class AccessCookie {
  /** Browsers accept a `__Host-` name only from the host itself and only over https, so no other site can set it. */
  readonly #name: string;
  readonly #attributes: string;

  constructor(baseUrl: string) {
    const secure = baseUrl.startsWith('https:');
    this.#name = secure ? '__Host-stele_visitor' : 'stele_visitor';
    this.#attributes = `HttpOnly; SameSite=Lax; Path=/${secure ? '; Secure' : ''}`;
  }

  /** Returns the value of a `set-cookie` header. */
  set = (value: string, seconds: number) => `${this.#name}=${value}; Max-Age=${seconds}; ${this.#attributes}`;

  /**
   * Returns all values of the cookie in a `cookie` header. Over plain http, another site may have added values, which
   * must not lock the visitor out. A header has room for about three hundred plausible values, which are quick to
   * check.
   */
  in(header: string | undefined): string[] {
    return cookieValues(header, this.#name);
  }
}
