import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { StoreUnavailableError } from '../../../kernel/event-store.js';
import { isShortage } from '../../../kernel/faults/shortage.js';
import { StorageFullError, storageError } from '../../../kernel/faults/storage-full.js';
import { Refusal } from '../../../kernel/refusal.js';
import { siteNotFound } from '../../../kernel/rights/site-access.js';
import { databaseFault, isDatabaseError } from '../../../storage/postgres/database-fault.js';
import { unknownRoute } from '../api/allowed-methods.js';
import { apiHeaders } from '../api/header-sets.js';
import { readRouteOptions } from '../api/route-options.js';
import { ServiceUrls } from '../api/service-urls.js';
import { readSlug } from '../api/site-visibility.js';
import { sendProblemPage, sendUnexpectedPage } from '../pages/problem-page.js';
import { wantsPage } from '../pages/web-page.js';
import { frameworkRefusal, readFastifyCode, readStatus } from './framework-refusal.js';
import { problems } from './problem.js';
import { RefusalLog } from './refusal-log.js';
import { readPath, sendProblem, sendUnexpected } from './send-problem.js';

/** Converts every thrown error to a response. Logs unexpected errors, and refusals that an operator should see. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  readonly #log = new Logger('Request');
  readonly #refused = new Logger('Refused');
  readonly #refusals = new RefusalLog((line) => this.#refused.warn(line));

  constructor(private readonly urls: ServiceUrls) {}

  catch(error: unknown, host: ArgumentsHost) {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    // Fastify has no route for `OPTIONS *`, so no hook has set the usual headers.
    if (request.url === '*') void reply.headers(apiHeaders(request.id, this.urls.baseUrl));
    const reason = asRefusal(error, request, reply);
    if (reason) this.#refusals.tell(refusedRequest(request), reason.code);
    const refusal = withNameOfSite(request, withoutHiddenSite(request, reason));
    if (!refusal) {
      this.#log.error(
        `${request.method} ${readPath(request)} ${request.id}`,
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

/** Replaces a refusal with `site_not_found` if the site is hidden from the caller. Leaves server errors unchanged. */
function withoutHiddenSite({ hiddenSlug }: FastifyRequest, refusal: Refusal | null): Refusal | null {
  const isCallersFault = refusal !== null && problems[refusal.code].status < 500;
  return hiddenSlug !== null && isCallersFault ? new Refusal('site_not_found') : refusal;
}

/** Adds the name of the missing site, as it was requested. The text is the same for a hidden site. */
function withNameOfSite(request: FastifyRequest, refusal: Refusal | null): Refusal | null {
  if (refusal?.code !== 'site_not_found' || refusal.detail !== undefined) return refusal;
  const slug = readSlug(request);
  if (slug === null || !/^[a-z0-9-]{1,63}$/i.test(slug)) return refusal;
  return siteNotFound(slug);
}

/**
 * Reports whether to send a refusal as a page: on routes that users open, and to browsers that request an unknown URL.
 */
function isForPeople(request: FastifyRequest): boolean {
  const isAstray = request.is404 && !readPath(request).startsWith('/v1/');
  return (isAstray || readRouteOptions(request.routeOptions).problemPages === true) && wantsPage(request);
}

function asRefusal(error: unknown, request: FastifyRequest, reply: FastifyReply): Refusal | null {
  if (error instanceof Refusal) return error;
  const fault = isDatabaseError(error) ? databaseFault(error) : error;
  if (fault instanceof StoreUnavailableError)
    return new Refusal('unavailable', 'The database is not responding. Try again shortly.');
  if (storageError(fault) instanceof StorageFullError) return new Refusal('storage_full');

  if (isShortage(error)) return new Refusal('unavailable', 'The server is overloaded. Try again later.');

  if (readStatus(error) === 404 || (request.is404 && isAboutBodyType(error))) return unknownRoute(request, reply);
  return frameworkRefusal(error);
}

/** Reports whether Fastify refused the Content-Type, which it checks even on unknown routes. */
const isAboutBodyType = (error: unknown) => BODY_TYPE_ERRORS.has(readFastifyCode(error) ?? '');

const BODY_TYPE_ERRORS = new Set(['FST_ERR_ROUTE_MISSING_CONTENT_TYPE', 'FST_ERR_CTP_INVALID_MEDIA_TYPE']);
