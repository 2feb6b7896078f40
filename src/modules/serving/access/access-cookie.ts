import { cookieValues } from '../../../edge/http/auth/cookies/cookie-values.js';

/** The access cookie of a visitor who was admitted. It is for one host alone; its value is sealed (`AccessSeals`). */
export class AccessCookie {
  /** Browsers take a `__Host-` name only from this very host over https, so no other site can set it. */
  readonly #name: string;
  readonly #attributes: string;

  constructor(baseUrl: string) {
    const secure = baseUrl.startsWith('https:');
    this.#name = secure ? '__Host-stele_visitor' : 'stele_visitor';
    this.#attributes = `HttpOnly; SameSite=Lax; Path=/${secure ? '; Secure' : ''}`;
  }

  /** For `set-cookie`. */
  set = (value: string, seconds: number) => `${this.#name}=${value}; Max-Age=${seconds}; ${this.#attributes}`;

  /**
   * All values of it in a `cookie` header, however many: over plain http another site may have set more, which must not
   * lock the visitor out. A header has room for some three hundred that could be sealed, which are soon looked at.
   */
  in(header: string | undefined): string[] {
    return cookieValues(header, this.#name);
  }
}
