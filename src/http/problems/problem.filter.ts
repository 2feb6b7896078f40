import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Inject, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { StoreUnavailable } from '../../kernel/event-store.js';
import { isShortage } from '../../kernel/faults/shortage.js';
import { StorageFull, storageError } from '../../kernel/faults/storage-full.js';
import { Refusal } from '../../kernel/refusal.js';
import { databaseFault, isDatabaseError } from '../../postgres/database-fault.js';
import { unknownRoute } from '../api/allowed-methods.js';
import { apiHeaders } from '../api/header-sets.js';
import { optionsOf } from '../api/route-options.js';
import { ServiceUrls } from '../api/service-urls.js';
import { sendProblemPage, sendUnexpectedPage } from '../pages/problem-page.js';
import { wantsPage } from '../pages/web-page.js';
import { problems } from './problem.js';
import { RefusalLog } from './refusal-log.js';
import { pathOf, sendProblem, sendUnexpected } from './send-problem.js';

/** Turns every thrown error into a response. Unexpected errors are logged, and refusals that an operator should see. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  readonly #log = new Logger('Request');
  readonly #refused = new Logger('Refused');
  readonly #refusals = new RefusalLog((line) => this.#refused.warn(line));

  constructor(@Inject(ServiceUrls) private readonly urls: ServiceUrls) {}

  catch(error: unknown, host: ArgumentsHost) {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    // Fastify has no route at all for `*`, so that no hook has set them.
    if (request.url === '*') void reply.headers(apiHeaders(request.id, this.urls.baseUrl));
    const reason = asRefusal(error, request, reply);
    if (reason) this.#refusals.tell(refusedRequest(request), reason.code);
    const refusal = withoutHiddenSite(request, reason);
    if (!refusal) {
      this.#log.error(
        `${request.method} ${pathOf(request)} ${request.id}`,
        error instanceof Error ? error.stack : error,
      );
    }
    if (reply.raw.headersSent) return;
    const { baseUrl } = this.urls;
    if (isForPeople(request)) {
      if (refusal) sendProblemPage(request, reply, refusal, baseUrl);
      else sendUnexpectedPage(request, reply, baseUrl);
    } else if (refusal) sendProblem(request, reply, refusal, baseUrl);
    else sendUnexpected(request, reply);
  }
}

const refusedRequest = ({ method, routeOptions, id, session, accessToken, grant }: FastifyRequest) => ({
  method,
  route: routeOptions.url ?? 'no route',
  requestId: id,
  userId: session?.userId ?? accessToken?.userId ?? grant?.userId ?? null,
});

/** Replaces any refusal about a site that the caller may not know of by `site_not_found`. */
function withoutHiddenSite({ namesHiddenSite }: FastifyRequest, refusal: Refusal | null): Refusal | null {
  const isCallersFault = refusal !== null && problems[refusal.code].status < 500;
  return namesHiddenSite && isCallersFault ? new Refusal('site_not_found') : refusal;
}

/** Whether a refusal is sent as a page: on a route for people, or where a browser has lost its way. */
function isForPeople(request: FastifyRequest): boolean {
  const isAstray = request.is404 && !pathOf(request).startsWith('/v1/');
  return (isAstray || optionsOf(request.routeOptions).problemPages === true) && wantsPage(request);
}

function asRefusal(error: unknown, request: FastifyRequest, reply: FastifyReply): Refusal | null {
  if (error instanceof Refusal) return error;
  const fault = isDatabaseError(error) ? databaseFault(error) : error;
  if (fault instanceof StoreUnavailable) return new Refusal('unavailable', 'The database does not answer.');
  if (storageError(fault) instanceof StorageFull) return new Refusal('storage_full');

  if (isShortage(error)) return new Refusal('unavailable', 'The server has more to do than it can at this moment.');

  const status = statusOf(error);
  if (status === 404 || (request.is404 && isOfBodyType(error))) return unknownRoute(request, reply);
  if (status === 413) return new Refusal('too_large');
  if (status === 415) return new Refusal('unsupported_media_type');
  const isCallersFault = status >= 400 && status < 500;
  return isCallersFault ? new Refusal('invalid_request', error instanceof Error ? error.message : undefined) : null;
}

/**
 * Whether Fastify found the type of a body wrong, which it also looks at where no route is, and of `QUERY` even without a
 * body. Nest has made its own error of it.
 */
const isOfBodyType = (error: unknown) =>
  error instanceof Error &&
  typeof error.cause === 'object' &&
  error.cause !== null &&
  'code' in error.cause &&
  OF_BODY_TYPE.has(error.cause.code);

const OF_BODY_TYPE = new Set<unknown>(['FST_ERR_ROUTE_MISSING_CONTENT_TYPE', 'FST_ERR_CTP_INVALID_MEDIA_TYPE']);

/**
 * The status of Nest’s and Fastify’s own errors: an unknown route, a malformed URL, an oversized header. 500 for any
 * other error.
 */
function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  if (error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number') return error.statusCode;
  return 500;
}
