import { hash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Stele } from '../service/stele.js';
import { signIn } from './sign-in.js';

export const HTML = 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8';

export type Ticket = {
  readonly ticket: string;
  readonly userCode: string;
  readonly url: string;
  readonly expiresAt: string;
  readonly interval: number;
};

/** Returns a terminal's verifier and challenge (RFC 7636). */
export function makePkce() {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: hash('sha256', verifier, 'base64url') };
}

/** Returns the path that a terminal opens in a browser. */
export const askPath = (asked: Readonly<Record<string, string>>) => `/v1/auth/cli?${new URLSearchParams(asked)}`;

/** Starts a terminal's loopback server, which waits for the redirect of the browser that the terminal has opened. */
export async function listening() {
  const server = createServer((request, response) => {
    response.end(`<h1>Back in the terminal</h1>`);
    server.emit('brought', new URL(request.url ?? '', 'http://127.0.0.1').searchParams);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const brought = new Promise<URLSearchParams>((resolve) =>
    server.on('brought', (query: URLSearchParams) => query.has('state') && resolve(query)),
  );
  return { server, brought, redirect_uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback` };
}

/** Requests a sign-in ticket, as a terminal without a browser does. */
export async function openTicket(stele: Stele) {
  const { verifier, challenge } = makePkce();
  const { body } = await stele.api.get(askPath({ challenge })).set('accept', 'application/json').expect(200);
  const ticket = body as Ticket;
  return { ...ticket, verifier, path: new URL(ticket.url).pathname };
}

/** Returns the browser of a signed-in user. It can open pages of the service and submit their forms. */
export async function browserOf(stele: Stele, email: string) {
  const { token, user, bearer } = await signIn(stele, email);
  const cookie = `stele_session=${token}`;
  const headers = { cookie, accept: HTML, 'sec-fetch-site': 'same-origin' };
  return {
    user,
    bearer,
    cookie,
    open: (path: string) => stele.raw.get(path).set(headers),
    press: (path: string, decision: string, fields: Readonly<Record<string, string>> = {}) =>
      stele.raw
        .post(path)
        .set(headers)
        .type('form')
        .send({ as: user.id, decision, ...fields }),
  };
}
