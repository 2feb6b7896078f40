/**
 * Every reason to say no, the closed list of docs/interface/reference.md, "Error codes". Each has its HTTP status and
 * words in http/problems.
 */
export const refusalCodes = [
  'invalid_request',
  'no_files',
  'invalid_path',
  'blocked_path',
  'invalid_slug',
  'invalid_expires',
  'expires_needs_anonymous',
  'invalid_token',
  'unauthenticated',
  'forbidden',
  'edit_token_invalid',
  'cross_origin',
  'capability_disabled',
  'not_found',
  'site_not_found',
  'deploy_not_found',
  'job_not_found',
  'method_not_allowed',
  'slug_taken',
  'already_claimed',
  'job_finished',
  'nothing_to_rerun',
  'domain_taken',
  'last_owner',
  'lease_lost',
  'conflict',
  'idempotency_in_progress',
  'site_expired',
  'revision_mismatch',
  'too_large',
  'too_many_files',
  'unsupported_media_type',
  'wrong_host',
  'idempotency_key_reused',
  'repo_unreachable',
  'repo_not_allowed',
  'plan_not_detected',
  'blob_missing',
  'digest_mismatch',
  'generation_refused',
  'generation_incomplete',
  'rate_limited',
  'quota_exceeded',
  'taken_down',
  'unavailable',
  'generator_unavailable',
  'builder_unavailable',
  'no_agent',
  'server_failed',
  'server_starting',
  'server_timeout',
  'storage_full',
] as const;

export type RefusalCode = (typeof refusalCodes)[number];

/** Where in the request something is wrong (`files[3].path`), and what. */
export type Fault = { readonly path: string; readonly message: string };

/** An expected no. `detail` says what is wrong with this very request. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    readonly code: RefusalCode,
    readonly detail?: string,
    readonly faults: readonly Fault[] = [],
    /** Further members of the answer, each named in docs/interface/reference.md, "The Problem object". */
    readonly more: Readonly<Record<string, unknown>> = {},
    /** Seconds after which the same request can succeed; null if that is not known. */
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(detail ? `${code}: ${detail}` : code);
  }
}

export function refuse(
  code: RefusalCode,
  detail?: string,
  faults?: readonly Fault[],
  more?: Readonly<Record<string, unknown>>,
): never {
  throw new Refusal(code, detail, faults, more);
}
