/** The cookie of a visitor who was let in. It is for one host alone; what it says is sealed (`AccessSeals`). */
export class AccessCookie {
  /** Browsers take a `__Host-` name only from this very host over https, so no neighbour can toss one in. */
  readonly #name: string;
  readonly #attributes: string;

  constructor(baseUrl: string) {
    const secure = baseUrl.startsWith('https:');
    this.#name = secure ? '__Host-stele_visitor' : 'stele_visitor';
    this.#attributes = `HttpOnly; SameSite=Lax; Path=/${secure ? '; Secure' : ''}`;
  }

  /** For `set-cookie`. */
  set = (value: string, seconds: number) => `${this.#name}=${value}; Max-Age=${seconds}; ${this.#attributes}`;

  /** Every value that came: over plain http a neighbour may have tossed in others, and must not lock the visitor out. */
  in(header = ''): string[] {
    return header
      .split(';')
      .flatMap((pair) => {
        const [name = '', ...value] = pair.replace(/^[ \t]+|[ \t]+$/g, '').split('=');
        return name === this.#name ? [value.join('=')] : [];
      })
      .slice(0, MOST);
  }
}

const MOST = 8;
