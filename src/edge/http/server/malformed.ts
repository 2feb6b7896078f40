import type { Socket } from 'node:net';
import type { Ids } from '../../../kernel/ids.js';
import { html, type Markup } from '../../browser/markup.js';
import { apiHeaders } from '../api/header-sets.js';
import { strangePage } from '../pages/web-page.js';
import { hostClassifier } from './hosts/hosts.js';
import { canClearCookies } from './hosts/shared-domain.js';

type ParserFault = Error & { readonly code?: string };

/** A refused connection is still read for this long, so that the client receives the response. */
const LINGER_MS = 2_000;

type ParserRefusal = {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly suggestion?: string;
  readonly page?: Markup;
  readonly headers?: Readonly<Record<string, string>>;
};

type AnnouncedUrls = { readonly baseUrl: string; readonly siteDomain: string };

/** Responds with a problem document to a request that the HTTP parser refused, and closes the connection. */
export function respondToMalformed(ids: Ids, urls: AnnouncedUrls) {
  const tooLarge = refuseLargeHead(urls);
  return (fault: ParserFault, socket: Socket, head: Buffer | null) => {
    if (fault.code === 'ECONNRESET' || socket.destroyed) return;
    if (!socket.writable) return void socket.destroy();
    const refusal = fault.code === 'HPE_HEADER_OVERFLOW' ? tooLarge(head) : refusalOf(fault);
    answer(socket, refusal, ids.make('req'), urls.baseUrl);
  };
}

/** Refuses CONNECT, which is meant for proxies (RFC 9110 section 9.3.6). */
export const refuseTunnel = (ids: Ids, baseUrl: string) => (socket: Socket) => {
  socket.on('error', () => undefined);
  answer(socket, badRequest('This server is not a proxy.'), ids.make('req'), baseUrl);
};

function answer(socket: Socket, refusal: ParserRefusal, requestId: string, baseUrl: string) {
  const { status, title } = refusal;
  const { type, body, set } = bodyOf(refusal, requestId, baseUrl);
  const headers = {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    ...set,
    ...refusal.headers,
    connection: 'close',
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${status} ${title}\r\n${head.join('\r\n')}\r\n\r\n${body}`);
  // Discard data for a while, so that a client that is still sending receives the response. Then destroy the socket.
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
}

function bodyOf({ status, title, detail, suggestion, page }: ParserRefusal, requestId: string, baseUrl: string) {
  if (page) {
    const { headers: set, page: body } = strangePage(requestId, baseUrl, title, page);
    return { type: 'text/html; charset=utf-8', body, set };
  }
  const body = JSON.stringify({
    type: `${baseUrl}/errors/invalid_request`,
    title,
    status,
    detail,
    instance: '/',
    code: 'invalid_request',
    requestId,
    retryable: false,
    suggestion,
  });
  return { type: 'application/problem+json; charset=utf-8', body, set: apiHeaders(requestId, baseUrl) };
}

function refusalOf({ code }: ParserFault): ParserRefusal {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { status: 408, title: 'Request Timeout', detail: 'The request did not arrive completely in time.' };
  return badRequest('The request is not valid HTTP/1.1 (RFC 9112).');
}

const badRequest = (detail: string): ParserRefusal => ({ status: 400, title: 'Bad Request', detail });

/**
 * Refuses a head that is too large. In browsers, the cause is usually cookies, which another site may have set. The
 * response clears the cookies if no other site is affected; otherwise, its page explains how to clear them.
 */
function refuseLargeHead(urls: AnnouncedUrls): (head: Buffer | null) => ParserRefusal {
  const hostKindOf = hostClassifier(urls);
  const canClear = canClearCookies(urls);
  return (head) => {
    const fields = fieldsIn(head);
    const { kind } = hostKindOf(fields('host'));
    const clears = canClear && (kind === 'site' || kind === 'preview');
    return {
      status: 431,
      title: 'Request Header Fields Too Large',
      detail: 'The URL and the headers must not exceed 16 KiB in total.',
      suggestion:
        'If a browser sent the request, delete the cookies for this site and its parent domains, and try again.',
      ...(clears && { headers: { 'clear-site-data': '"cookies"' } }),
      ...(/\btext\/html\b/i.test(fields('accept') ?? '') && { page: clears ? CLEARED : HOW_TO_CLEAR }),
    };
  };
}

/**
 * Returns a function that finds a field in a request head that may be cut off anywhere. It returns undefined if the
 * field is missing or occurs twice.
 */
function fieldsIn(head: Buffer | null): (name: string) => string | undefined {
  // Anything after the last line break may be incomplete or belong to the body.
  const lines = (head ?? Buffer.alloc(0)).toString('latin1').split('\r\n').slice(1, -1);
  return (name) => {
    const [first, second] = lines.filter((line) => line.slice(0, name.length + 1).toLowerCase() === `${name}:`);
    return second === undefined ? first?.slice(name.length + 1).trim() : undefined;
  };
}

const REASON = 'Your browser sent more than 16 KiB of headers with this request. The usual reason is too many cookies.';

const CLEARED = html`<p>${REASON}</p>
<p>Your browser was told to delete this site’s cookies. Reload the page.</p>`;

const HOW_TO_CLEAR = html`<p>${REASON} This site, or another site on the same domain, may have set them. Delete them, then reload the page:</p>
<ul>
<li>Chrome and Edge: select the icon to the left of the address, then “Cookies and site data” and “Manage on-device site data”. Delete the data of every domain in the list.</li>
<li>Firefox: select the padlock to the left of the address, then “Clear cookies and site data”.</li>
<li>Safari: open Settings, Privacy, “Manage Website Data”, search for the domain of this page, and select “Remove”.</li>
</ul>`;
