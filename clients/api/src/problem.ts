import type { components } from './openapi.js';

/** An error document of the service (RFC 9457). */
export type Problem = components['schemas']['Problem'];

/** A response with an error status. Compare `code`, which is stable; the texts can change. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly status: number;
  readonly code: string;
  readonly problem: Problem;
  /** Seconds after which the client should try again, if the response says so. */
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
  /** Whether a proxy refused to connect, for example because of wrong credentials. It would refuse again. */
  readonly isRefusedByProxy: boolean;

  constructor(url: string, cause: unknown) {
    const reason = innermost(cause);
    super(`Could not reach ${new URL(url).origin}: ${describeReason(reason)}.`, { cause });
    this.code = reason.code;
    this.isRefusedByProxy = PROXY_STATUS.test(reason.message);
  }
}

/** Message of undici for a proxy that does not open a tunnel. */
const PROXY_STATUS = /^Proxy response \((\d+)\)/;

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  ETIMEDOUT: 'it did not respond in time',
  UND_ERR_CONNECT_TIMEOUT: 'it did not respond in time',
  UND_ERR_HEADERS_TIMEOUT: 'it did not respond in time',
  UND_ERR_BODY_TIMEOUT: 'it did not respond in time',
  ENOTFOUND: 'DNS does not know its host name',
  EAI_AGAIN: 'DNS did not respond',
  ENETUNREACH: 'the network is unreachable',
  EHOSTUNREACH: 'the host is unreachable',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is not trusted',
};

/** Describes the usual reasons in words. Adds the code, so that users can search for it. */
function describeReason({ message, code = '' }: Reason): string {
  const status = PROXY_STATUS.exec(message)?.[1];
  if (status === '407') return 'the proxy did not accept the user name and password in its address (status 407)';
  if (status) return `the proxy refused the connection (status ${status})`;
  if (message === 'bad port') return 'fetch does not allow its port, because other protocols use it';
  const words = REASONS[code];
  return words ? `${words} (${code})` : message;
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

/** Error codes for responses without an error document: responses to HEAD, and responses of proxies. */
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
      : `${new URL(url).origin} responded with status ${status} but without an error document, so the response may come from a proxy.`,
    instance: new URL(url).pathname,
    requestId: headers.get('x-request-id') ?? '',
    retryable: status === 429 || status >= 502,
  } as Problem;
}

/** The fields of an error that are read here. `instanceof Error` is false for some errors of Node itself. */
type ErrorLike = {
  readonly message?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly errors?: readonly unknown[];
};

type Reason = { readonly message: string; readonly code?: string };

/**
 * Finds the reason of a failed fetch. Node wraps it in a TypeError, whose cause may be an AggregateError with one error
 * for each IP address.
 */
function innermost(error: unknown): Reason {
  if (typeof error !== 'object' || error === null) return { message: String(error) };
  const { cause, errors, message, code }: ErrorLike = error;
  const inner = errors?.[0] ?? cause;
  if (inner) return innermost(inner);
  const known = typeof code === 'string' ? code : undefined;
  return { message: String(message || known || 'the reason is unknown'), ...(known && { code: known }) };
}
