import { Pool } from 'pg';
import { OAuthGrants } from '../../../src/accounts/grants/oauth-grants.js';
import { TokenGrants } from '../../../src/modules/oauth/api/token-grants.js';
import type { Stele } from '../service/stele.js';
import { HttpBrowser } from './http-browser.js';
import { signIn } from './sign-in.js';
import { makePkce } from './terminal-sign-in.js';

export const CALLBACK = 'https://agent.example/callback';

export type Tokens = {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly scope: string;
};

type Fields = Readonly<Record<string, string | readonly string[] | undefined>>;

const form = (fields: Fields) =>
  new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]) =>
      [value ?? []].flat().map((each): [string, string] => [name, each]),
    ),
  );

/** Returns the origin that the service announces, so that a browser sends its cookies there. */
export const homeOf = (stele: Stele) => `http://localhost:${stele.port}`;

export async function registerProgram(stele: Stele, metadata: object = {}) {
  const body = { redirect_uris: [CALLBACK], client_name: 'An agent', ...metadata };
  const answer = await stele.raw.post('/oauth/register').send(body);
  return answer.status === 201 ? String(answer.body.client_id) : Promise.reject(new Error(JSON.stringify(answer.body)));
}

export async function browserOfPerson(stele: Stele, email: string) {
  const person = await signIn(stele, email);
  const browser = new HttpBrowser();
  await signInBrowser(stele, browser, email);
  return { ...person, browser };
}

export async function signInBrowser(stele: Stele, browser: HttpBrowser, email: string) {
  const home = homeOf(stele);
  await browser.open(`${home}/v1/auth/start`, { method: 'POST', body: form({ email }) });
  const { body } = await stele.api.get('/dev/outbox.json').expect(200);
  const mail = (body as { to: string; links: string[] }[]).find(({ to }) => to === email);
  const { pathname, search } = new URL(mail?.links[0] ?? '');
  return browser.open(home + pathname + search);
}

/** A connected app that is new to the service and knows only the URL of the MCP endpoint. */
export class AgentProgram {
  constructor(
    private readonly stele: Stele,
    readonly clientId: string,
    readonly redirectUri = CALLBACK,
  ) {}

  static async registered(stele: Stele, metadata: object = {}) {
    return new AgentProgram(stele, await registerProgram(stele, metadata));
  }

  get resource() {
    return `${homeOf(this.stele)}/mcp`;
  }

  /** Returns the authorization URL for the browser, with the code verifier. `undefined` omits a parameter. */
  request(changes: Fields = {}) {
    const { verifier, challenge } = makePkce();
    const query = form({
      response_type: 'code',
      client_id: this.clientId,
      redirect_uri: this.redirectUri,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      resource: this.resource,
      state: 'of-this-program',
      ...changes,
    });
    return { href: `${homeOf(this.stele)}/oauth/authorize?${query}`, verifier };
  }

  /** Opens the consent page, and returns its URL and content. */
  async asked(browser: HttpBrowser, changes: Fields = {}) {
    const { href, verifier } = this.request(changes);
    const first = await browser.open(href);
    const address = first.location ?? '';
    const page = address.includes('/oauth/consent/') ? await browser.open(address) : first;
    return { address, page, verifier, first };
  }

  /** Presses a button on the consent page, and follows the redirects. */
  async answer(browser: HttpBrowser, address: string, page: string, fields: Fields = {}) {
    const as = /name="as" value="(\w+)"/.exec(page)?.[1] ?? '';
    const pressed = await browser.open(address, {
      method: 'POST',
      body: form({ as, decision: 'approve', sites: 'all', ...fields }),
    });
    const next = /^0;url=(.+)$/.exec(pressed.headers.get('refresh') ?? '')?.[1];
    if (next === undefined) return { pressed, onward: null };
    const resumed = await browser.open(new URL(next, address).href);
    return {
      pressed,
      next: new URL(next, address).href,
      onward: resumed.location === null ? null : new URL(resumed.location),
    };
  }

  /** Completes the flow until the app has the code. */
  async codeFrom(browser: HttpBrowser, changes: Fields = {}, fields: Fields = {}) {
    const { address, page, verifier } = await this.asked(browser, changes);
    const { onward } = await this.answer(browser, address, page.text, fields);
    const code = onward?.searchParams.get('code') ?? '';
    if (code === '') throw new Error(`There is no code: ${onward?.href ?? page.text}`);
    return { code, verifier, onward };
  }

  async letIn(browser: HttpBrowser, changes: Fields = {}, fields: Fields = {}): Promise<Tokens> {
    const { code, verifier } = await this.codeFrom(browser, changes, fields);
    const { body } = await this.exchange({ code, code_verifier: verifier }).expect(200);
    return body;
  }

  exchange(fields: Fields) {
    return this.token({ grant_type: 'authorization_code', redirect_uri: this.redirectUri, ...fields });
  }

  refresh(refresh_token: string, fields: Fields = {}) {
    return this.token({ grant_type: 'refresh_token', refresh_token, ...fields });
  }

  token(fields: Fields) {
    return this.#post('/oauth/token', fields);
  }

  revoke(token: string, fields: Fields = {}) {
    return this.#post('/oauth/revoke', { token, ...fields });
  }

  #post(path: string, fields: Fields) {
    return this.stele.raw
      .post(path)
      .type('form')
      .send(form({ client_id: this.clientId, ...fields }).toString());
  }
}

/**
 * Opens the service's database for reading the grants of connected apps. Tests use it to act as a protected resource.
 */
export function grantsOf({ database }: Pick<Stele, 'database'>) {
  const pool = new Pool({ ...database, max: 2 });
  // Ignores connection errors, which occur when the PostgreSQL server shuts down.
  pool.on('error', () => undefined);
  return { grants: new TokenGrants(new OAuthGrants(pool)), close: () => pool.end() };
}
