import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { PASSWORD_BYTES, SitePasswords } from '../../../accounts/site-passwords.js';
import { ownOriginCheck } from '../../../edge/http/api/csrf.js';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { ClientAddress, computeNetwork } from '../../../edge/http/limits/client-address.js';
import { RateLimits } from '../../../edge/http/limits/rate-limits.js';
import { rates } from '../../../edge/http/limits/rates.js';
import { wantsPage } from '../../../edge/http/pages/web-page.js';
import { problems } from '../../../edge/http/problems/problem.js';
import { plural } from '../../../kernel/output/quantities.js';
import type { ServedSite } from '../sites/served-site.js';
import type { Target } from '../sites/target.js';
import { GATE_HEADERS, messagePage, passwordPage } from './password-page.js';
import { pathOnSite } from './path-on-site.js';
import { VISIT } from './visit-path.js';
import { Visitors } from './visitors.js';

/** Maximum size of a submitted form. It is enough for an escaped password of 1,024 bytes and a path. */
const MOST = 16_384;

const SENT_WITHIN_MS = 10_000;

/** Reads a submitted form. Resolves to its fields, or to the status with which to refuse the request. */
async function formBody(request: IncomingMessage): Promise<URLSearchParams | 400 | 413 | 415> {
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded') return 415;
  const timer = setTimeout(() => request.destroy(), SENT_WITHIN_MS);
  try {
    const pieces: Buffer[] = [];
    let size = 0;
    for await (const piece of request.iterator({ destroyOnReturn: false })) {
      size += piece.length;
      if (size > MOST) return 413;
      pieces.push(piece);
    }
    return new URLSearchParams(Buffer.concat(pieces).toString('utf8'));
  } catch {
    // The connection was closed before the whole form arrived, so the visitor receives no response.
    return 400;
  } finally {
    clearTimeout(timer);
  }
}

/** Path that the service reserves on the hosts of sites. All other paths belong to the sites. */
const GATE_PATH = '/.stele/';
const ENTRANCE = '.stele/enter';

const TOO_MUCH = [413, 'Form too large', 'Send only the password and the path to open afterwards.'] as const;
const NO_FORM = [
  415,
  'Form data required',
  'Send the password in the form field “password”, as the form on this page does.',
] as const;
const ELSEWHERE = [403, 'Form not accepted', 'This form was sent from another site.'] as const;
const NOTHING = [404, 'Page not found', 'There is nothing at this URL.'] as const;
const USED = [
  400,
  'This link is no longer valid',
  'Each link expires after one minute and works only once, on the site that it was created for. Open the site again to get a new link.',
] as const;

export const isForGate = ({ form, path }: Target): boolean =>
  form !== 'path' && path !== null && (path === '.stele' || path.startsWith('.stele/'));

const INVOKE = '.stele/invoke';

/** Reports whether a request for this path on a site's host is handled by a route of the service (`siteHost`). */
export const isForFramework = ({ form, path }: Target, method: string | undefined): boolean =>
  form !== 'path' && path === INVOKE && method === 'POST';

/** Admits visitors to sites that are not public, or redirects them to the service's host to sign in. */
@Injectable()
export class SiteAccessGate {
  constructor(
    private readonly visitors: Visitors,
    private readonly passwords: SitePasswords,
    private readonly limits: RateLimits,
    private readonly clientAddress: ClientAddress,
    private readonly urls: ServiceUrls,
  ) {}

  hostOf({ slug, hostname, deployId }: Target): string {
    if (hostname !== null) return new URL(this.urls.domain(hostname)).host;
    return new URL(deployId === null ? this.urls.site(slug ?? '') : this.urls.preview(deployId)).host;
  }

  /** Redirects people to a password form or the sign-in page, and responds to other clients with 401. */
  denyAccess(request: IncomingMessage, response: ServerResponse, site: ServedSite, target: Target) {
    if (!isNavigation(request)) return this.#unauthenticated(request, response);
    const path = pathOnSite(request.url);
    const away = site.visibility === 'password' ? formAt(path) : this.#service(target, path);
    redirect(response, away);
  }

  /**
   * Refuses access to an earlier deploy that runs a server. The server is started only for users with a role on the
   * site.
   */
  hide({ method }: IncomingMessage, response: ServerResponse, target: Target) {
    const body = messagePage(
      'For members only',
      'This earlier deploy runs a server, which is only started for users who have a role on the site.',
      { href: this.#service(target, '/'), text: 'Sign in to open it' },
    );
    send(response, 404, method === 'HEAD' ? '' : body);
  }

  async answer(request: IncomingMessage, response: ServerResponse, site: ServedSite, target: Target): Promise<void> {
    const query = new URLSearchParams(target.query);
    if (target.path === ENTRANCE) return this.#enter(request, response, site, target, query.get('ticket') ?? '');
    if (target.path === INVOKE) return notAllowed(response, ['POST']);
    if (target.path !== '.stele' && target.path !== '.stele/') return say(response, NOTHING);

    const isForm = site.visibility === 'password';
    const allowed = isForm ? ['GET', 'HEAD', 'POST'] : ['GET', 'HEAD'];
    if (!allowed.includes(request.method ?? '')) return notAllowed(response, allowed);
    if (request.method === 'POST') return this.#try(request, response, site, target);

    const path = pathOnSite(query.get('to'));
    const isIn =
      site.visibility === 'public' || (await this.visitors.canEnter(site, this.hostOf(target), request.headers.cookie));
    if (isIn) return redirect(response, path);
    if (isForm) return send(response, 200, passwordPage(this.hostOf(target), path, null));
    return redirect(response, this.#service(target, path));
  }

  async #try(request: IncomingMessage, response: ServerResponse, site: ServedSite, target: Target): Promise<void> {
    const host = this.hostOf(target);
    const { origin } = new URL(`${new URL(this.urls.baseUrl).protocol}//${host}`);
    // Refuse forms from other origins. Otherwise, any page could make its visitors guess passwords of the site, each
    // from their own IP address.
    if (!ownOriginCheck(origin)(request.headers)) return say(response, ELSEWHERE);
    const body = await formBody(request);
    if (body === 413) return say(response, TOO_MUCH);
    if (body === 415) return say(response, NO_FORM);
    if (body === 400) return void response.destroy();

    const path = pathOnSite(body.get('to'));
    const { passwordId } = site;
    const key = `${site.siteId} ${computeNetwork(this.clientAddress.addressOf(request))}`;
    const { taken, resetSeconds } = await this.limits.take(rates.passwordTries, key);
    if (!taken) {
      const fault = `Too many attempts. Try again in ${plural(resetSeconds, 'second')}.`;
      return send(response, 429, passwordPage(host, path, fault), { 'retry-after': String(resetSeconds) });
    }
    const password = body.get('password') ?? '';
    const isPlausible = password !== '' && Buffer.byteLength(password) <= PASSWORD_BYTES;
    if (passwordId === null || !isPlausible || !(await this.passwords.isRight(passwordId, password)))
      return send(response, 403, passwordPage(host, path, 'The password is not correct.'));

    await this.limits.giveBack(rates.passwordTries, key);
    redirect(response, path, this.visitors.admitByPassword(site, host, passwordId));
  }

  async #enter(
    request: IncomingMessage,
    response: ServerResponse,
    site: ServedSite,
    target: Target,
    ticket: string,
  ): Promise<void> {
    // Don't admit HEAD requests, which must not use up a ticket.
    if (request.method !== 'GET') return notAllowed(response, ['GET']);
    if (site.visibility !== 'members') return redirect(response, '/');
    const admitted = await this.visitors.admitByTicket(site, this.hostOf(target), ticket);
    if (!admitted) return say(response, USED);
    redirect(response, admitted.path, admitted.cookie);
  }

  #service(target: Target, path: string): string {
    const [label = ''] = this.hostOf(target).split('.', 1);
    return `${this.urls.baseUrl}${VISIT}?at=${target.hostname ?? label}&to=${encodeURIComponent(path)}`;
  }

  #unauthenticated({ method }: IncomingMessage, response: ServerResponse) {
    const { status, title } = problems.unauthenticated;
    const body = JSON.stringify({
      type: `${this.urls.baseUrl}/errors/unauthenticated`,
      title,
      status,
      detail: 'This site is not public. Open it in a browser to sign in or enter its password.',
      code: 'unauthenticated',
      retryable: false,
    });
    const head = { ...GATE_HEADERS, 'www-authenticate': 'Cookie', 'content-length': Buffer.byteLength(body) };
    response.writeHead(status, { ...head, 'content-type': 'application/problem+json' });
    response.end(method === 'HEAD' ? undefined : body);
  }
}

const formAt = (path: string) => (path === '/' ? GATE_PATH : `${GATE_PATH}?to=${encodeURIComponent(path)}`);

/** Reports whether a browser is opening a page. Uses Fetch Metadata or, in older browsers, the `accept` header. */
function isNavigation({ method, headers }: IncomingMessage): boolean {
  if (method !== 'GET') return false;
  const mode = headers['sec-fetch-mode'];
  return mode === undefined ? wantsPage({ headers }) : mode === 'navigate';
}

function redirect(response: ServerResponse, location: string, cookie?: string) {
  const head = {
    ...GATE_HEADERS,
    location,
    'content-length': 0,
    ...(cookie !== undefined && { 'set-cookie': cookie }),
  };
  response.writeHead(303, { ...head, 'referrer-policy': 'no-referrer' }).end();
}

function send(response: ServerResponse, status: number, page: string, more: Record<string, string> = {}) {
  const length = Buffer.byteLength(page);
  const head = { ...GATE_HEADERS, 'content-type': 'text/html; charset=utf-8', 'content-length': length, ...more };
  response.writeHead(status, head).end(page);
}

const say = (response: ServerResponse, [status, title, text]: readonly [number, string, string]) =>
  send(response, status, messagePage(title, text));

const notAllowed = (response: ServerResponse, allowed: readonly string[]) =>
  send(response, 405, messagePage('Method not allowed', 'This URL does not support this request method.'), {
    allow: allowed.join(', '),
  });
