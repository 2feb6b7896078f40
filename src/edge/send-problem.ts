import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Refusal } from '../kernel/refusal.js';
import { crossOriginHeaders } from './cross-origin.js';
import { apiHeaders } from './header-sets.js';
import { problems } from './problem.js';
import { html, sendPage, webPage } from './web-page.js';

/** Answers a refusal as RFC 9457 `application/problem+json`. */
export function sendProblem(request: FastifyRequest, reply: FastifyReply, refusal: Refusal, baseUrl: string) {
  const { status, title, suggestion, retryable = false } = problems[refusal.code];
  // An address that the router cannot decode gets here without the hooks that dress every other answer.
  if (!reply.hasHeader('x-request-id')) {
    void reply.headers({ ...apiHeaders(request.id, baseUrl), ...crossOriginHeaders(request) });
  }
  if (status === 503) void reply.header('retry-after', '5');
  if (status === 401) void reply.header('www-authenticate', 'Bearer');
  send(reply, status, {
    type: `${baseUrl}/errors/${refusal.code}`,
    title,
    status,
    detail: refusal.detail ?? `${title}.`,
    instance: pathOf(request),
    code: refusal.code,
    requestId: request.id,
    retryable,
    ...(suggestion && { suggestion }),
    ...(refusal.faults.length > 0 && { errors: refusal.faults }),
  });
}

/** The same for people. */
export function sendProblemPage(request: FastifyRequest, reply: FastifyReply, refusal: Refusal, baseUrl: string) {
  const { status, title, suggestion } = problems[refusal.code];
  const body = html`<p>${refusal.detail ?? ''}</p>${suggestion ? html`<p>${suggestion}</p>` : null}`;
  return sendPage(request, reply, baseUrl, webPage(title, body), status);
}

/** What nobody expected: nothing is told of it but where to find it in the log. */
export function sendUnexpected(request: FastifyRequest, reply: FastifyReply) {
  send(reply, 500, {
    type: 'about:blank',
    title: 'Something went wrong here',
    status: 500,
    detail: 'The fault is on this side, and was logged under the request’s id.',
    instance: pathOf(request),
    code: 'internal',
    requestId: request.id,
    retryable: true,
  });
}

/** The path without its query, where tokens may stand. */
export const pathOf = (request: FastifyRequest) => request.url.split('?', 1)[0] ?? '/';

const send = (reply: FastifyReply, status: number, body: object) =>
  void reply.status(status).type('application/problem+json').send(JSON.stringify(body));
