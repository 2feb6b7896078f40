/** The cookie of a signed-in browser (docs/interface.md, "Session"). Its value is the session’s token. */
export class SessionCookie {
  /** Browsers take a `__Host-` name only from this very host over https, so no neighbour can toss one in. */
  readonly name: '__Host-stele_session' | 'stele_session';
  /** What follows `name=value` in `set-cookie`. */
  readonly attributes: string;

  constructor(baseUrl: string) {
    const secure = baseUrl.startsWith('https:');
    this.name = secure ? '__Host-stele_session' : 'stele_session';
    this.attributes = `HttpOnly; SameSite=Lax; Path=/${secure ? '; Secure' : ''}`;
  }

  /** Null without the cookie, and with more than one: nobody can tell which of them we have set. */
  read(header: string | undefined): string | null {
    const [value, ...others] = this.#values(header);
    return value === undefined || others.length > 0 ? null : value;
  }

  /** Whether the request has the cookie at all, readable or not. */
  isIn(header: string | undefined): boolean {
    return this.#values(header).length > 0;
  }

  /** Only blanks and tabs are trimmed: a name with any other white space before it is another name (RFC 6265bis). */
  #values(header = ''): string[] {
    return header.split(';').flatMap((pair) => {
      const [name = '', ...value] = pair.replace(/^[ \t]+|[ \t]+$/g, '').split('=');
      return name === this.name && value.length > 0 ? [value.join('=')] : [];
    });
  }
}
