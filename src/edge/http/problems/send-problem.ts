import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Refusal } from '../../../kernel/refusal.js';
import { corsHeaders } from '../api/cors.js';
import { apiHeaders } from '../api/header-sets.js';
import { problems } from './problem.js';

export function sendProblem(request: FastifyRequest, reply: FastifyReply, refusal: Refusal, baseUrl: string) {
  const { status } = problems[refusal.code];
  // Set the usual headers here if they are missing: the hooks that set them don’t run if the router cannot decode the
  // URL.
  if (!reply.hasHeader('x-request-id')) {
    void reply.headers({ ...apiHeaders(request.id, baseUrl), ...corsHeaders(request) });
  }
  if (status === 503) void reply.header('retry-after', '5');
  if (refusal.retryAfterSeconds !== null) void reply.header('retry-after', String(refusal.retryAfterSeconds));
  if (status === 401 && !reply.hasHeader('www-authenticate')) void reply.header('www-authenticate', 'Bearer');
  send(reply, status, problemBody(refusal, { baseUrl, instance: readPath(request), requestId: request.id }));
}

type RefusalOccurrence = { readonly baseUrl: string; readonly instance: string; readonly requestId: string };

export function problemBody(refusal: Refusal, { baseUrl, instance, requestId }: RefusalOccurrence) {
  const { status, title, detail, suggestion, retryable = false } = problems[refusal.code];
  return {
    type: `${baseUrl}/errors/${refusal.code}`,
    title,
    status,
    detail: refusal.detail ?? detail,
    instance,
    code: refusal.code,
    requestId,
    retryable,
    ...(suggestion && { suggestion }),
    ...(refusal.faults.length > 0 && { errors: refusal.faults }),
    ...refusal.more,
  };
}

/** Responds to an unexpected error. The response contains only the request ID under which the error was logged. */
export function sendUnexpected(request: FastifyRequest, reply: FastifyReply) {
  send(reply, 500, unexpectedBody({ instance: readPath(request), requestId: request.id }));
}

export const unexpectedBody = ({ instance, requestId }: Omit<RefusalOccurrence, 'baseUrl'>) => ({
  type: 'about:blank',
  title: 'Internal server error',
  status: 500,
  detail: 'Something went wrong on our side. The error was logged under this request’s ID.',
  instance,
  code: 'internal',
  requestId,
  retryable: true,
});

/** Returns the path without the query, which might contain tokens. */
export const readPath = (request: FastifyRequest) => request.url.split('?', 1)[0] ?? '/';

const send = (reply: FastifyReply, status: number, body: object) =>
  void reply
    .status(status)
    .type('application/problem+json')
    .send(`${JSON.stringify(body)}\n`);
