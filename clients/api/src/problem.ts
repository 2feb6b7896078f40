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
  /** Whether the same request would fail again, for example because a proxy does not accept the credentials. */
  readonly isPermanent: boolean;

  constructor(url: string, cause: unknown) {
    const reason = innermost(cause);
    super(`Could not reach ${new URL(url).origin}: ${describeReason(reason)}.`, { cause });
    this.code = reason.code;
    this.isPermanent = PERMANENT_MESSAGES.test(reason.message) || PERMANENT_CODES.test(reason.code ?? '');
  }
}

/** The error code of Node's `fetch` if a response does not begin in time. */
export const RESPONSE_TIMEOUT = 'UND_ERR_HEADERS_TIMEOUT';

/** Undici's error message for a proxy that refuses to open a tunnel. */
const PROXY_STATUS = /^Proxy response \((\d+)\)/;
/**
 * Messages of permanent errors without a code: proxy refusals, ports that `fetch` blocks, and responses that are not
 * HTTP.
 */
const PERMANENT_MESSAGES = /^(Proxy response|bad port|Response does not match)/;
/**
 * Codes of permanent errors: invalid addresses, rejected certificates, responses without TLS, and oversized response
 * headers.
 */
const PERMANENT_CODES =
  /CERT|^(UNABLE_TO_|HOSTNAME_MISMATCH|ERR_INVALID_URL|ERR_TLS_|ERR_SSL_(WRONG_VERSION|PACKET)|UND_ERR_HEADERS_OVERFLOW)/;

const REASONS: readonly (readonly [codes: RegExp, words: string])[] = [
  [/REFUSED/, 'the connection was refused'],
  [/ECONNRESET|SOCKET/, 'the connection was closed'],
  [/TIMEOUT|TIMEDOUT/, 'it did not respond in time'],
  [/HEADERS_OVERFLOW/, 'the header of its response is too large'],
  [/ENOTFOUND/, 'DNS does not know its host name'],
  [/EAI_AGAIN/, 'DNS did not respond'],
  [/ENETUNREACH/, 'the network is unreachable'],
  [/EHOSTUNREACH/, 'the host is unreachable'],
  [/CERT_HAS_EXPIRED/, 'its certificate has expired'],
  [/CERT_ALTNAME/, 'its certificate is for another host name'],
  [/SELF_SIGNED|UNABLE_TO/, 'its certificate is not trusted'],
];

/** Describes common reasons in words, followed by the error code, so that users can search for it. */
function describeReason({ message, code = '' }: Reason): string {
  const status = PROXY_STATUS.exec(message)?.[1];
  if (status === '407') return 'the proxy did not accept the user name and password in its address (status 407)';
  if (status) return `the proxy refused the connection (status ${status})`;
  if (message === 'bad port') return 'fetch does not allow its port, because other protocols use it';
  const words = REASONS.find(([codes]) => codes.test(code))?.[1];
  return words ? `${words} (${code})` : message;
}

/**
 * Reads the error document in the body of a response. If there is none, as in a proxy's response, describes the status.
 */
export function readProblem(response: Response, body: string): ProblemError {
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  const type = response.headers.get('content-type') ?? '';
  const problem = type.startsWith('application/problem+json') ? parseProblem(response, body) : describeStatus(response);
  return new ProblemError(problem, Number.isFinite(retryAfter) ? retryAfter : undefined);
}

/**
 * Parses an error document. RFC 9457 makes most fields optional, so missing and invalid ones are derived from the
 * response.
 */
function parseProblem(response: Response, body: string): Problem {
  const own = describeStatus(response);
  const given = parseObject(body);
  const text = (field: string) => (typeof given[field] === 'string' ? given[field] : undefined);
  const { suggestion: _, errors, ...others } = given;
  const suggestion = text('suggestion');
  const title = text('title') ?? own.title;
  return {
    ...own,
    ...others,
    status: response.status,
    code: text('code') ?? own.code,
    title,
    detail: text('detail') ?? text('title') ?? own.detail,
    ...(suggestion && { suggestion }),
    ...(Array.isArray(errors) && { errors: errors.filter(isFieldError) }),
  } as Problem;
}

function parseObject(json: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

const isFieldError = (error: unknown): boolean => {
  const { path, message } = (error ?? {}) as { readonly path?: unknown; readonly message?: unknown };
  return typeof path === 'string' && typeof message === 'string';
};

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

/** Fields of an error. `instanceof Error` cannot be used, because it is false for some of Node's own errors. */
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
