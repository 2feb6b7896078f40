import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { read, type Schemas, type Stele } from 'stele-api/client';
import { pause } from 'stele-api/network/retries';
import { RefusedError } from '../command-line/errors.js';
import type { Session } from '../command-line/session.js';
import { openBrowser } from '../network/open-browser.js';

type SignedIn = Schemas['SignedIn'];

/** Creates a secret, and the digest of it that is sent when the sign-in starts (PKCE, RFC 7636). */
function createPkce() {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** Signs in with a browser on this machine, which delivers a code to a local port of this process. */
export async function signInInBrowser({ output, environment, signal }: Session, stele: Stele): Promise<SignedIn> {
  const { verifier, challenge } = createPkce();
  const state = randomBytes(16).toString('base64url');
  const listener = await listenForCode(state, signal);
  try {
    const url = stele.url('/v1/auth/cli', { challenge, state, redirect_uri: listener.redirectUri }).href;
    const isOpened = await openBrowser(url, environment);
    output.note(
      `${isOpened ? 'Approve the sign-in in your browser. If it did not open:' : 'Open this address:'}\n  ${url}`,
    );
    const code = await listener.code;
    return (await read(stele.api.POST('/v1/auth/cli/exchange', { body: { code, verifier }, signal }))) as SignedIn;
  } finally {
    listener.close();
  }
}

/**
 * Signs in with a browser on any device: shows an address and a code, and waits until the user approves the sign-in.
 */
export async function signInByCode({ output, signal }: Session, stele: Stele): Promise<SignedIn> {
  const { verifier, challenge } = createPkce();
  const url = stele.url('/v1/auth/cli', { challenge });
  const response = await stele.send(new Request(url, { headers: { accept: 'application/json' }, signal }));
  const ticket = (await response.json()) as Schemas['TerminalTicket'];
  output.note(
    `Open this address on any device, and check that the page shows this code:\n  ${ticket.url}\n  ${output.paint('bold', ticket.userCode)}`,
  );
  for (let interval = ticket.interval; ; ) {
    await pause(interval * 1000, signal);
    const { data, response: polled } = await stele.api.POST('/v1/auth/cli/exchange', {
      body: { ticket: ticket.ticket, verifier },
      signal,
    });
    if (polled.status === 200) return data as SignedIn;
    interval = Number(polled.headers.get('retry-after') ?? interval);
  }
}

/** Waits until the browser delivers the code. Only the browser that started the sign-in knows `state`. */
async function listenForCode(state: string, signal: AbortSignal) {
  const visit = Promise.withResolvers<string>();
  const server = createServer((request, response) => {
    const query = new URL(request.url ?? '/', 'http://127.0.0.1').searchParams;
    const code = query.get('code');
    if (query.get('state') !== state) return sayGoodbye(response, 404, 'Not found.');
    if (code === null) {
      sayGoodbye(response, 200, 'The sign-in was denied. You can close this page.');
      return visit.reject(new RefusedError('The sign-in was denied in the browser.', 'sign_in_denied'));
    }
    sayGoodbye(response, 200, 'You are signed in. You can close this page and return to the terminal.');
    visit.resolve(code);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const interrupt = () => visit.reject(signal.reason);
  signal.addEventListener('abort', interrupt);
  return {
    redirectUri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    code: visit.promise,
    close: () => {
      signal.removeEventListener('abort', interrupt);
      server.closeAllConnections();
      server.close();
    },
  };
}

function sayGoodbye(response: ServerResponse, status: number, text: string): void {
  response
    .writeHead(status, { 'content-type': 'text/html; charset=utf-8', connection: 'close' })
    .end(
      `<!doctype html><html lang="en"><title>Stele</title><p style="font: 1.25rem system-ui; margin: 4rem">${text}</p></html>`,
    );
}
