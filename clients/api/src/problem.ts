import type { components } from './openapi.js';

/** An error document of the service (RFC 9457). */
export type Problem = components['schemas']['Problem'];

/** A response with an error status. Compare `code`, which is stable; the texts can change. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly status: number;
  readonly code: string;
  readonly problem: Problem;
  /** Seconds after which the service suggests to try again. */
  readonly retryAfter: number | undefined;

  constructor(problem: Problem, retryAfter?: number) {
    super(problem.detail ?? problem.title);
    this.status = problem.status;
    this.code = problem.code;
    this.problem = problem;
    this.retryAfter = retryAfter;
  }
}

/** The instance could not be reached, or the connection broke before the response was complete. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
  /** The error code of the system, such as ECONNREFUSED, if there is one. */
  readonly code: string | undefined;

  constructor(url: string, cause: unknown) {
    const reason = innermost(cause);
    super(`Could not reach ${new URL(url).origin}: ${reason.message}.`, { cause });
    this.code = reason.code;
  }
}

/** Reads the error document of a response. A proxy in between may have sent something else. */
export async function readProblem(response: Response): Promise<ProblemError> {
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  const body = await response.text().catch(() => '');
  const type = response.headers.get('content-type') ?? '';
  const problem = type.startsWith('application/problem+json') ? parseProblem(body) : null;
  return new ProblemError(problem ?? describeStatus(response), Number.isFinite(retryAfter) ? retryAfter : undefined);
}

function parseProblem(body: string): Problem | null {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

/** Problems by status, for responses without a document: those to HEAD, and those of proxies. */
const CODES: Readonly<Record<number, string>> = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  407: 'proxy_authentication_required',
  409: 'conflict',
  413: 'too_large',
  429: 'rate_limited',
  502: 'unavailable',
  503: 'unavailable',
  504: 'unavailable',
};

function describeStatus({ status, statusText, url, headers }: Response): Problem {
  const location = headers.get('location');
  const isRedirect = status >= 300 && status < 400;
  return {
    type: 'about:blank',
    title: statusText || `Status ${status}`,
    status,
    code: isRedirect ? 'redirected' : (CODES[status] ?? 'unexpected_response'),
    detail: isRedirect
      ? `${new URL(url).origin} redirects to ${location ?? 'another address'}. Use that address as the instance.`
      : `${new URL(url).origin} responded with status ${status} and without an error document.`,
    instance: new URL(url).pathname,
    requestId: headers.get('x-request-id') ?? '',
    retryable: status === 429 || status >= 502,
  } as Problem;
}

/** The parts of an error that are of interest. An error of Node itself need not be an instance of our Error. */
type ErrorLike = {
  readonly message?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly errors?: readonly unknown[];
};

/** Node wraps the reason of a failed fetch: a TypeError, whose cause may be an AggregateError for several addresses. */
function innermost(error: unknown): { message: string; code?: string } {
  if (typeof error !== 'object' || error === null) return { message: String(error) };
  const { cause, errors, message, code }: ErrorLike = error;
  const inner = errors?.[0] ?? cause;
  if (inner) return innermost(inner);
  const known = typeof code === 'string' ? code : undefined;
  return { message: String(message || known || 'unknown error'), ...(known && { code: known }) };
}
