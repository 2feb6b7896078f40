/** A browser with just what signing in needs: cookies for each host, and forms. */
export class HttpBrowser {
  readonly #cookies = new Map<string, Map<string, string>>();

  cookiesFor(address: string): string {
    return [...(this.#cookies.get(new URL(address).host) ?? [])].map((pair) => pair.join('=')).join('; ');
  }

  /** Requests a page with the host's cookies. Does not follow redirects. */
  async open(
    address: string,
    init: { readonly method?: string; readonly body?: URLSearchParams; readonly headers?: Record<string, string> } = {},
  ) {
    const { host } = new URL(address);
    const answer = await fetch(address, {
      ...init,
      headers: { accept: 'text/html', cookie: this.cookiesFor(address), ...init.headers },
      redirect: 'manual',
    });
    const jar = this.#cookies.get(host) ?? new Map<string, string>();
    for (const line of answer.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(';');
      const [name = '', ...value] = pair.split('=');
      const isOver = attributes.some((each) => /^\s*(max-age=0|expires=thu, 01 jan 1970)/i.test(each));
      if (isOver) jar.delete(name);
      else jar.set(name, value.join('='));
    }
    this.#cookies.set(host, jar);
    const location = answer.headers.get('location');
    return {
      status: answer.status,
      headers: answer.headers,
      text: await answer.text(),
      location: location === null ? null : new URL(location, address).href,
    };
  }

  /** Signs in at the provider as `login`, and confirms each page until the provider redirects back to the service. */
  async signInAt(href: string, login: string): Promise<string> {
    const { origin } = new URL(href);
    let answer = await this.open(href);
    for (let steps = 0; steps < 20; steps++) {
      if (answer.location !== null && new URL(answer.location).origin !== origin) return answer.location;
      answer =
        answer.location === null ? await this.#fillIn(answer.text, origin, login) : await this.open(answer.location);
    }
    throw new Error(`The provider leads nowhere: ${answer.status} ${answer.text}`);
  }

  #fillIn(page: string, origin: string, login: string) {
    const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1];
    if (!action) throw new Error(`There is no form on the provider's page: ${page}`);
    const hidden = [...page.matchAll(/type="hidden" name="(\w+)" value="(\w*)"/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ]);
    const body = new URLSearchParams({ ...Object.fromEntries(hidden), login, password: 'any' });
    return this.open(new URL(action, origin).href, { method: 'POST', body });
  }
}
