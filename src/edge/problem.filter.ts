import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Inject, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { StoreUnavailable } from '../kernel/event-store.js';
import { Refusal } from '../kernel/refusal.js';
import { Addresses } from './addresses.js';
import { allowedMethods } from './allowed-methods.js';
import { problems } from './problem.js';

/** Answers every refusal as RFC 9457 `application/problem+json`. What nobody expected is logged and told nothing about. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  readonly #log = new Logger('Request');

  constructor(@Inject(Addresses) private readonly addresses: Addresses) {}

  catch(error: unknown, host: ArgumentsHost) {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const refusal = this.#asRefusal(error, request, reply);

    if (reply.raw.headersSent) return;
    if (!refusal) {
      this.#log.error(
        `${request.method} ${pathOf(request)} ${request.id}`,
        error instanceof Error ? error.stack : error,
      );
      void reply
        .status(500)
        .type('application/problem+json')
        .send(JSON.stringify(this.#unexpected(request)));
      return;
    }
    const { status, title, suggestion, retryable = false } = problems[refusal.code];
    if (status === 503) void reply.header('retry-after', '5');
    if (status === 401) void reply.header('www-authenticate', 'Bearer');
    const body = {
      type: `${this.addresses.baseUrl}/errors/${refusal.code}`,
      title,
      status,
      detail: refusal.detail ?? `${title}.`,
      instance: pathOf(request),
      code: refusal.code,
      requestId: request.id,
      retryable,
      ...(suggestion && { suggestion }),
      ...(refusal.faults.length > 0 && { errors: refusal.faults }),
    };
    void reply.status(status).type('application/problem+json').send(JSON.stringify(body));
  }

  #asRefusal(error: unknown, request: FastifyRequest, reply: FastifyReply): Refusal | null {
    if (error instanceof Refusal) return error;
    if (error instanceof StoreUnavailable) return new Refusal('unavailable', 'The event store does not answer.');
    if (error instanceof Error && error.name === 'StorageFull') return new Refusal('storage_full');

    const status = statusOf(error);
    if (status === 404) {
      const allowed = allowedMethods(request);
      if (allowed.length === 0) return new Refusal('not_found', `There is nothing at ${pathOf(request)}.`);
      void reply.header('allow', allowed.join(', '));
      return new Refusal('method_not_allowed', `${pathOf(request)} takes ${allowed.join(', ')}.`);
    }
    if (status === 413) return new Refusal('too_large');
    if (status === 415) return new Refusal('unsupported_media_type');
    if (status >= 400 && status < 500)
      return new Refusal('invalid_request', error instanceof Error ? error.message : undefined);
    return null;
  }

  #unexpected(request: FastifyRequest) {
    return {
      type: 'about:blank',
      title: 'Something went wrong here',
      status: 500,
      detail: 'The fault is on this side, and was logged under the request’s id.',
      instance: pathOf(request),
      code: 'internal',
      requestId: request.id,
      retryable: true,
    };
  }
}

/** The path without its query, where tokens may stand. */
const pathOf = (request: FastifyRequest) => request.url.split('?', 1)[0] ?? '/';

/** Nest's and Fastify's own errors carry a status: an unknown route, a malformed address, an oversized header. */
function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  if (error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number') return error.statusCode;
  return 500;
}
