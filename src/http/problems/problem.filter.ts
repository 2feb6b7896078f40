import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Inject, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { StoreUnavailable } from '../../kernel/event-store.js';
import { StorageFull, storageError } from '../../kernel/faults/storage-full.js';
import { Refusal } from '../../kernel/refusal.js';
import { databaseFault } from '../../postgres/database-fault.js';
import { allowedMethods } from '../api/allowed-methods.js';
import { optionsOf } from '../api/route-options.js';
import { ServiceUrls } from '../api/service-urls.js';
import { sendProblemPage, sendUnexpectedPage } from '../pages/problem-page.js';
import { wantsPage } from '../pages/web-page.js';
import { problems } from './problem.js';
import { pathOf, sendProblem, sendUnexpected } from './send-problem.js';

/** Turns whatever was thrown into an answer. What nobody expected is logged. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  readonly #log = new Logger('Request');

  constructor(@Inject(ServiceUrls) private readonly urls: ServiceUrls) {}

  catch(error: unknown, host: ArgumentsHost) {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const refusal = hiding(request, asRefusal(error, request, reply));
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

/** Of a site that the caller is not to know of, nothing is told but that it is not there. */
function hiding({ namesHiddenSite }: FastifyRequest, refusal: Refusal | null): Refusal | null {
  const isCallers = refusal !== null && problems[refusal.code].status < 500;
  return namesHiddenSite && isCallers ? new Refusal('site_not_found') : refusal;
}

/** Where a person's browser is sent to, or may get lost: there a refusal is a page too. */
function isForPeople(request: FastifyRequest): boolean {
  const isAstray = request.is404 && !pathOf(request).startsWith('/v1/');
  return (isAstray || optionsOf(request.routeOptions).problemPages === true) && wantsPage(request);
}

function asRefusal(error: unknown, request: FastifyRequest, reply: FastifyReply): Refusal | null {
  if (error instanceof Refusal) return error;
  const fault = isDatabases(error) ? databaseFault(error) : error;
  if (fault instanceof StoreUnavailable) return new Refusal('unavailable', 'The database does not answer.');
  if (storageError(fault) instanceof StorageFull) return new Refusal('storage_full');

  const status = statusOf(error);
  if (status === 404) return unknownRoute(request, reply);
  if (status === 413) return new Refusal('too_large');
  if (status === 415) return new Refusal('unsupported_media_type');
  const isCallers = status >= 400 && status < 500;
  return isCallers ? new Refusal('invalid_request', error instanceof Error ? error.message : undefined) : null;
}

/**
 * Of a read model: these are asked through TypeORM, whose failed queries have a `driverError`. A connection that breaks
 * before there is a query is told of as the system, or pg, says it.
 */
function isDatabases(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('driverError' in error || 'severity' in error) return true;
  if ('syscall' in error) return error.syscall === 'connect' || ('code' in error && isBroken.test(String(error.code)));
  return isPgs.test(error.message);
}

const isBroken = /^(ECONN|EPIPE|ETIMEDOUT)/;
const isPgs =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

function unknownRoute(request: FastifyRequest, reply: FastifyReply): Refusal {
  const allowed = allowedMethods(request);
  if (allowed.length === 0) return new Refusal('not_found', `There is nothing at ${pathOf(request)}.`);
  void reply.header('allow', allowed.join(', '));
  return new Refusal('method_not_allowed', `${pathOf(request)} takes ${allowed.join(', ')}.`);
}

/** Nest's and Fastify's own errors carry a status: an unknown route, a malformed address, an oversized header. */
function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  if (error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number') return error.statusCode;
  return 500;
}
