import type { Socket } from 'node:net';
import type { Ids } from '../../kernel/ids.js';
import { apiHeaders } from '../api/header-sets.js';

type ParserFault = Error & { readonly code?: string };

/** How long a refused connection is still read, so that the client receives the response. */
const LINGER_MS = 2_000;

type ParserRefusal = readonly [status: number, title: string, detail: string];

/**
 * Responds to a request that the HTTP parser refused with a problem, like every other refusal, and closes the
 * connection.
 */
export const answerMalformed = (ids: Ids, baseUrl: string) => (fault: ParserFault, socket: Socket) => {
  if (fault.code === 'ECONNRESET' || socket.destroyed) return;
  if (!socket.writable) return void socket.destroy();
  answer(socket, answerFor(fault), ids.make('req'), baseUrl);
};

/** Refuses CONNECT, which is for proxies (RFC 9110 section 9.3.6). */
export const refuseTunnel = (ids: Ids, baseUrl: string) => (socket: Socket) => {
  socket.on('error', () => undefined);
  answer(socket, [400, 'Bad Request', 'This server is not a proxy.'], ids.make('req'), baseUrl);
};

function answer(socket: Socket, [status, title, detail]: ParserRefusal, requestId: string, baseUrl: string) {
  const body = JSON.stringify({
    type: `${baseUrl}/errors/invalid_request`,
    title,
    status,
    detail,
    instance: '/',
    code: 'invalid_request',
    requestId,
    retryable: false,
  });
  const headers = {
    'content-type': 'application/problem+json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    ...apiHeaders(requestId, baseUrl),
    connection: 'close',
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${status} ${title}\r\n${head.join('\r\n')}\r\n\r\n${body}`);
  // Read and thrown away for a while, so that a client that is still sending receives the response. Then destroyed, so
  // that a client that stays does not hold it open.
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
}

function answerFor({ code }: ParserFault): ParserRefusal {
  if (code === 'HPE_HEADER_OVERFLOW')
    return [431, 'Request Header Fields Too Large', 'The URL and the headers must not exceed 16 KiB in total.'];
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return [408, 'Request Timeout', 'The request did not arrive completely in time.'];
  return [400, 'Bad Request', 'The request is not valid HTTP/1.1 (RFC 9112).'];
}
