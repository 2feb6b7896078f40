import { cookieValues } from '../../../edge/http/auth/cookies/cookie-values.js';

/** Cookie of a visitor who was admitted to a site on one host. */
export class AccessCookie {
  /**
   * Prefix of the cookie's name. Browsers accept a `__Host-` name only from the host itself and only over https, so no
   * other site can set it.
   */
  readonly #name: string;
  readonly #attributes: string;

  constructor(baseUrl: string) {
    const secure = baseUrl.startsWith('https:');
    this.#name = secure ? '__Host-stele_visitor' : 'stele_visitor';
    this.#attributes = `HttpOnly; SameSite=Lax; Path=/${secure ? '; Secure' : ''}`;
  }

  set = (value: string, seconds: number) => `${this.#name}=${value}; Max-Age=${seconds}; ${this.#attributes}`;

  /** Returns all values of the cookie. There can be several, because another site may add values over plain http. */
  in(header: string | undefined): string[] {
    return cookieValues(header, this.#name);
  }
}
