/** Kinds of refusals, from which protocols such as HTTP derive a status. */
export type RefusalKind =
  /** The request is invalid regardless of the state. */
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'too_large'
  /** The request is well-formed, but refers to something unusable. */
  | 'unprocessable'
  | 'limited'
  | 'unavailable';

export type RefusalText = {
  readonly kind: RefusalKind;
  readonly title: string;
  /** The default detail, used by refusals that do not set one. */
  readonly detail: string;
  /**
   * The next action, if it fits every refusal with this code. Otherwise, a refusal can pass its own suggestion in
   * `more`.
   */
  readonly suggestion?: string;
  readonly retryable?: true;
};

/** All refusal codes, as listed in docs/interface/reference.md, "Error codes". */
const table = {
  invalid_request: {
    kind: 'invalid',
    title: 'Invalid request',
    detail: 'The request could not be understood.',
  },
  client_outdated: {
    kind: 'invalid',
    title: 'Command too old',
    detail: 'This version of the stele command no longer works with this instance.',
  },
  no_files: {
    kind: 'invalid',
    title: 'No files in the request',
    detail: 'A deploy needs at least one file.',
    suggestion:
      'Send multipart parts named “files”, JSON such as {"files":[{"path":"…","content":"…"}]}, a zip or tar.gz archive, or a text/html body.',
  },
  invalid_path: {
    kind: 'invalid',
    title: 'Invalid file path',
    detail: 'A file has a path that cannot be published.',
  },
  blocked_path: {
    kind: 'invalid',
    title: 'Blocked file path',
    detail: 'Files with this name are never published.',
    suggestion: 'Leave this file or folder out. Files like this often contain secrets, or are not part of the site.',
  },
  invalid_slug: {
    kind: 'invalid',
    title: 'Invalid slug',
    detail: 'This slug cannot be used.',
    suggestion: 'Choose another slug.',
  },
  invalid_expires: {
    kind: 'invalid',
    title: 'Invalid expiry',
    detail: 'This expiry is not valid.',
    suggestion: 'Use a number followed by s, m, h or d, from 1s to 30d. For example, 12h.',
  },
  expires_needs_anonymous: {
    kind: 'invalid',
    title: 'Expiry is for anonymous sites only',
    detail: 'Only anonymous sites can expire.',
  },
  invalid_token: {
    kind: 'invalid',
    title: 'Invalid or expired token',
    detail: 'The token is unknown, has expired or was already used.',
  },
  unauthenticated: {
    kind: 'unauthenticated',
    title: 'Authentication required',
    detail: 'This request needs valid credentials.',
  },
  forbidden: { kind: 'forbidden', title: 'Permission denied', detail: 'You do not have permission to do this.' },
  edit_token_invalid: {
    kind: 'forbidden',
    title: 'Invalid edit token',
    detail: 'The edit token is not valid for this site.',
    suggestion: 'Use the editToken from the response to the site’s first deploy.',
  },
  cross_origin: {
    kind: 'forbidden',
    title: 'Cross-origin request refused',
    detail: 'This request came from a page of another origin.',
  },
  capability_disabled: {
    kind: 'forbidden',
    title: 'Capability disabled',
    detail: 'This capability is disabled for the site.',
    suggestion:
      'An owner or editor of the site can enable it: POST /v1/sites/{slug}/capabilities {"name": "…", "enabled": true}.',
  },
  not_found: { kind: 'not_found', title: 'Not found', detail: 'The requested resource does not exist.' },
  site_not_found: {
    kind: 'not_found',
    title: 'Site not found',
    detail: 'No site has this name, or you have no access to it.',
  },
  deploy_not_found: {
    kind: 'not_found',
    title: 'Deploy not found',
    detail: 'This site has no such deploy.',
    suggestion: 'List the site’s deploys: GET /v1/sites/{slug}/deploys.',
  },
  job_not_found: { kind: 'not_found', title: 'Job not found', detail: 'No job has this ID.' },
  method_not_allowed: {
    kind: 'invalid',
    title: 'Method not allowed',
    detail: 'This URL does not support this method.',
    suggestion: 'Use a method listed in the Allow header.',
  },
  slug_taken: {
    kind: 'conflict',
    title: 'Slug already in use',
    detail: 'This slug belongs to another site.',
    suggestion: 'Choose another slug.',
  },
  already_claimed: {
    kind: 'conflict',
    title: 'Site already has an owner',
    detail: 'Someone has claimed this site, so its edit token no longer works.',
    suggestion: 'If you are an owner, sign in. Otherwise, ask an owner for an invite.',
  },
  job_finished: { kind: 'conflict', title: 'Already finished', detail: 'The job or run has already ended.' },
  nothing_to_rerun: {
    kind: 'conflict',
    title: 'No repository deploy to run again',
    detail: 'This site was never deployed from a repository.',
  },
  domain_taken: { kind: 'conflict', title: 'Domain already in use', detail: 'This domain belongs to another site.' },
  already_member: {
    kind: 'conflict',
    title: 'Already a member of the site',
    detail: 'The site has a member with this email address.',
    suggestion: 'To change the member’s role, send PATCH /v1/sites/{slug}/members/{id}.',
  },
  last_owner: {
    kind: 'conflict',
    title: 'A site needs at least one owner',
    detail: 'This would leave the site without an owner.',
  },
  lease_lost: { kind: 'conflict', title: 'Lease lost', detail: 'Another attempt has taken over this work.' },
  conflict: {
    kind: 'conflict',
    title: 'Conflict with the current state',
    detail: 'Another request changed the same thing at the same time. Try again.',
    retryable: true,
  },
  idempotency_in_progress: {
    kind: 'conflict',
    title: 'Request still in progress',
    detail: 'The first request with this idempotency key has not finished yet.',
    suggestion: 'Send the same request again in a few seconds.',
    retryable: true,
  },
  site_expired: {
    kind: 'not_found',
    title: 'Site expired',
    detail: 'This site was published for a limited time and has expired.',
  },
  revision_mismatch: {
    kind: 'conflict',
    title: 'The site has changed',
    detail: 'The site has changed since you last read it.',
    suggestion: 'Fetch the site again, and check that your change still applies before you retry.',
  },
  too_large: { kind: 'too_large', title: 'Content too large', detail: 'The content exceeds the size limit.' },
  too_many_files: { kind: 'too_large', title: 'Too many files', detail: 'The number of files exceeds the limit.' },
  unsupported_media_type: {
    kind: 'invalid',
    title: 'Unsupported media type',
    detail: 'This URL does not accept a body of this type.',
  },
  wrong_host: {
    kind: 'not_found',
    title: 'Host not served here',
    detail: 'This server does not serve the requested host.',
  },
  idempotency_key_reused: {
    kind: 'unprocessable',
    title: 'Idempotency key already used',
    detail: 'This idempotency key was used for a different request.',
    suggestion: 'Use a new key for each new request.',
  },
  repo_unreachable: {
    kind: 'unprocessable',
    title: 'Cannot read the repository',
    detail: 'The repository could not be read.',
  },
  repo_not_allowed: {
    kind: 'unprocessable',
    title: 'Repository URL not allowed',
    detail: 'Repositories at this URL cannot be used.',
  },
  plan_not_detected: {
    kind: 'unprocessable',
    title: 'No build plan detected',
    detail: 'Stele could not detect how to build this repository.',
  },
  blob_missing: {
    kind: 'unprocessable',
    title: 'Missing content',
    detail: 'Some of the content has not been uploaded yet.',
    suggestion: 'Upload the files named in “errors”, then send the request again.',
  },
  digest_mismatch: {
    kind: 'unprocessable',
    title: 'Content does not match its digest',
    detail: 'The received content does not match its declared size or digest.',
    suggestion: 'Send exactly the content that matches the SHA-256 digest in the URL and the declared size.',
  },
  generation_refused: {
    kind: 'unprocessable',
    title: 'The model declined the prompt',
    detail: 'The model did not generate a page for this prompt.',
    suggestion: 'Rephrase the prompt, or use a template.',
  },
  generation_incomplete: {
    kind: 'unprocessable',
    title: 'The model returned no usable page',
    detail: 'The model’s output is not a complete page.',
    suggestion: 'Try again, or describe a simpler page.',
    retryable: true,
  },
  rate_limited: {
    kind: 'limited',
    title: 'Too many requests',
    detail: 'You have sent too many requests in a short time.',
    suggestion: 'Wait for the number of seconds in the Retry-After header.',
    retryable: true,
  },
  quota_exceeded: { kind: 'limited', title: 'Quota exceeded', detail: 'This would exceed a quota.' },
  taken_down: {
    kind: 'forbidden',
    title: 'Site taken down',
    detail: 'The operator of this service has taken this site down.',
  },
  unavailable: {
    kind: 'unavailable',
    title: 'Service unavailable',
    detail: 'The service cannot handle this request right now. Try again shortly.',
    retryable: true,
  },
  generator_unavailable: {
    kind: 'unavailable',
    title: 'Page generation unavailable',
    detail: 'No model is available to generate pages.',
    suggestion: 'Use a template instead: GET /v1/code/templates lists them.',
  },
  builder_unavailable: {
    kind: 'unavailable',
    title: 'Builder unavailable',
    detail: 'This service cannot build or run sites right now.',
  },
  no_agent: {
    kind: 'unavailable',
    title: 'No agent connected',
    detail: 'None of the site’s agents is polling for work.',
    suggestion: 'Start an agent that polls GET /v1/connector/poll with one of the site’s connector tokens.',
    retryable: true,
  },
  server_failed: {
    kind: 'unavailable',
    title: 'Site server failed',
    detail: 'The site’s server failed or sent an invalid response.',
    suggestion: 'If you own the site, check its logs.',
    retryable: true,
  },
  server_starting: {
    kind: 'unavailable',
    title: 'Site server is starting',
    detail: 'The site’s server has not started yet.',
    suggestion: 'Wait for the number of seconds in the Retry-After header, then try again.',
    retryable: true,
  },
  server_timeout: {
    kind: 'unavailable',
    title: 'Site server timed out',
    detail: 'The site’s server did not respond in time.',
    retryable: true,
  },
  storage_full: {
    kind: 'unavailable',
    title: 'Storage full',
    detail: 'The service has run out of storage. Its operator needs to free space.',
    retryable: true,
  },
} satisfies Record<string, RefusalText>;

export type RefusalCode = keyof typeof table;

export const refusals: Readonly<Record<RefusalCode, RefusalText>> = table;

export const refusalCodes = Object.keys(table) as readonly RefusalCode[];
