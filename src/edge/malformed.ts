import type { Socket } from 'node:net';
import type { Ids } from '../kernel/ids.js';

type ParserFault = Error & { readonly code?: string };

/** What the HTTP parser refused, before there was a request: answered as a problem like all others, then closed. */
export const answerMalformed = (ids: Ids, baseUrl: string) => (fault: ParserFault, socket: Socket) => {
  if (fault.code === 'ECONNRESET' || socket.destroyed) return;
  if (!socket.writable) return void socket.destroy();

  const [status, title, detail] = refusalOf(fault);
  const requestId = ids.make('req');
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
  const head = [
    `HTTP/1.1 ${status} ${title}`,
    'content-type: application/problem+json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'x-content-type-options: nosniff',
    'cache-control: no-store',
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
};

function refusalOf({ code }: ParserFault): [status: number, title: string, detail: string] {
  if (code === 'HPE_HEADER_OVERFLOW')
    return [431, 'Request Header Fields Too Large', 'Address and headers may have 16 KiB together.'];
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, 'Request Timeout', 'The request did not arrive in time.'];
  return [400, 'Bad Request', 'This is not HTTP/1.1 as RFC 9112 has it.'];
}
