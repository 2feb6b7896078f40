import {
  type RefusalCode,
  type RefusalKind,
  type RefusalText,
  refusalCodes,
  refusals,
} from '../../../kernel/refusals.js';

const statusOfKind: Readonly<Record<RefusalKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  unprocessable: 422,
  limited: 429,
  unavailable: 503,
};

/** Problem codes that have a more specific HTTP status than their kind of refusal. */
const statusOfCode: Readonly<Partial<Record<RefusalCode, number>>> = {
  method_not_allowed: 405,
  site_expired: 410,
  revision_mismatch: 412,
  unsupported_media_type: 415,
  wrong_host: 421,
  taken_down: 451,
  server_failed: 502,
  server_timeout: 504,
  storage_full: 507,
};

export type ProblemText = RefusalText & { readonly status: number };

const problemOf = (code: RefusalCode): ProblemText => {
  const text = refusals[code];
  return { ...text, status: statusOfCode[code] ?? statusOfKind[text.kind] };
};

export const problems = Object.fromEntries(refusalCodes.map((code) => [code, problemOf(code)])) as Readonly<
  Record<RefusalCode, ProblemText>
>;
