import type { RefusalCode } from '../../../kernel/refusal.js';

/** How a refusal is presented to clients. */
export type ProblemText = {
  readonly status: number;
  readonly title: string;
  /** The detail of a refusal that was thrown without one. */
  readonly detail: string;
  /** The next action, if one fits every refusal with this code. Other refusals bring their own in `more`. */
  readonly suggestion?: string;
  /** Whether the same request may succeed later. */
  readonly retryable?: true;
};

/** The status and texts of each refusal code. A code without an entry does not compile. */
export const problems: Record<RefusalCode, ProblemText> = {
  invalid_request: {
    status: 400,
    title: 'Invalid request',
    detail: 'The request could not be understood.',
  },
  no_files: {
    status: 400,
    title: 'No files in the request',
    detail: 'A deploy needs at least one file.',
    suggestion:
      'Send multipart parts named “files”, JSON such as {"files":[{"path":"…","content":"…"}]}, a zip or tar.gz archive, or a text/html body.',
  },
  invalid_path: {
    status: 400,
    title: 'Invalid file path',
    detail: 'A file has a path that cannot be published.',
    suggestion: 'Give each file a unique relative path with forward slashes, such as assets/app.js.',
  },
  blocked_path: {
    status: 400,
    title: 'Blocked file path',
    detail: 'A file has a name that is never published.',
    suggestion:
      'Leave out .git, .env files, .npmrc, .ssh and node_modules. These often contain secrets or are not part of the site.',
  },
  invalid_slug: {
    status: 400,
    title: 'Invalid slug',
    detail: 'This slug cannot be used.',
    suggestion: 'Choose another slug.',
  },
  invalid_expires: {
    status: 400,
    title: 'Invalid expiry',
    detail: 'This expiry cannot be used.',
    suggestion: 'Use a number followed by s, m, h or d, from 1s to 30d. For example, 12h.',
  },
  expires_needs_anonymous: {
    status: 400,
    title: 'Expiry is for anonymous sites only',
    detail: 'Only anonymous sites can expire.',
  },
  invalid_token: {
    status: 400,
    title: 'Invalid or expired token',
    detail: 'The token is unknown, has expired or was already used.',
  },
  unauthenticated: {
    status: 401,
    title: 'Authentication required',
    detail: 'This request needs valid credentials.',
  },
  forbidden: { status: 403, title: 'Permission denied', detail: 'You do not have permission to do this.' },
  edit_token_invalid: {
    status: 403,
    title: 'Invalid edit token',
    detail: 'The edit token is not valid for this site.',
    suggestion: 'Use the editToken from the response to the site’s first deploy.',
  },
  cross_origin: {
    status: 403,
    title: 'Cross-origin request refused',
    detail: 'This request came from a page of another origin.',
  },
  capability_disabled: {
    status: 403,
    title: 'Capability disabled',
    detail: 'The site has this capability disabled.',
    suggestion:
      'An owner or editor of the site can enable it: POST /v1/sites/{slug}/capabilities {"name": "…", "enabled": true}.',
  },
  not_found: { status: 404, title: 'Not found', detail: 'The requested resource does not exist.' },
  site_not_found: {
    status: 404,
    title: 'Site not found',
    detail: 'No site has this name, or you have no access to it.',
  },
  deploy_not_found: {
    status: 404,
    title: 'Deploy not found',
    detail: 'This site has no such deploy.',
    suggestion: 'List the site’s deploys: GET /v1/sites/{slug}/deploys.',
  },
  job_not_found: { status: 404, title: 'Job not found', detail: 'No job has this ID.' },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    detail: 'This URL does not support this method.',
    suggestion: 'Use a method listed in the Allow header.',
  },
  slug_taken: {
    status: 409,
    title: 'Slug already in use',
    detail: 'This slug belongs to another site.',
    suggestion: 'Choose another slug.',
  },
  already_claimed: { status: 409, title: 'Site already has an owner', detail: 'This site was already claimed.' },
  job_finished: { status: 409, title: 'Already finished', detail: 'The job or run has already ended.' },
  nothing_to_rerun: {
    status: 409,
    title: 'No repository deploy to run again',
    detail: 'This site was never deployed from a repository.',
  },
  domain_taken: { status: 409, title: 'Domain already in use', detail: 'This domain belongs to another site.' },
  last_owner: {
    status: 409,
    title: 'A site needs at least one owner',
    detail: 'This would leave the site without an owner.',
  },
  lease_lost: { status: 409, title: 'Lease lost', detail: 'Another attempt has taken over this work.' },
  conflict: {
    status: 409,
    title: 'Conflict with the current state',
    detail: 'Another request changed the same thing at the same time. Try again.',
    retryable: true,
  },
  idempotency_in_progress: {
    status: 409,
    title: 'Request still in progress',
    detail: 'The first request with this idempotency key has not finished yet.',
    suggestion: 'Send the same request again in a few seconds.',
    retryable: true,
  },
  site_expired: { status: 410, title: 'Site expired', detail: 'This site has expired.' },
  revision_mismatch: {
    status: 412,
    title: 'The site has changed',
    detail: 'The site has changed since you last read it.',
    suggestion: 'Fetch the site again, and check that your change still applies before you retry.',
  },
  too_large: { status: 413, title: 'Content too large', detail: 'The content exceeds the size limit.' },
  too_many_files: { status: 413, title: 'Too many files', detail: 'The number of files exceeds the limit.' },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    detail: 'This URL does not accept a body of this type.',
  },
  wrong_host: {
    status: 421,
    title: 'Host not served here',
    detail: 'This server does not serve the requested host.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency key already used',
    detail: 'This idempotency key was used for a different request.',
    suggestion: 'Use a new key for each new request.',
  },
  repo_unreachable: {
    status: 422,
    title: 'Cannot read the repository',
    detail: 'The repository could not be read.',
  },
  repo_not_allowed: {
    status: 422,
    title: 'Repository URL not allowed',
    detail: 'Repositories at this URL cannot be used.',
  },
  plan_not_detected: {
    status: 422,
    title: 'No build plan detected',
    detail: 'Stele could not detect how to build this repository.',
  },
  blob_missing: {
    status: 422,
    title: 'Missing content',
    detail: 'Some of the content has not been uploaded yet.',
    suggestion: 'Upload the files named in “errors”, then send the request again.',
  },
  digest_mismatch: {
    status: 422,
    title: 'Content does not match its digest',
    detail: 'The received content differs from what was declared.',
    suggestion: 'Send exactly the content whose SHA-256 is in the URL, with the declared size.',
  },
  generation_refused: {
    status: 422,
    title: 'The model declined the prompt',
    detail: 'The model did not generate a page for this prompt.',
    suggestion: 'Rephrase the prompt, or use a template.',
  },
  generation_incomplete: {
    status: 422,
    title: 'The model returned no usable page',
    detail: 'The model’s output is not a complete page.',
    suggestion: 'Try again, or describe a simpler page.',
    retryable: true,
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    detail: 'You have sent too many requests in a short time.',
    suggestion: 'Wait for the number of seconds in the Retry-After header.',
    retryable: true,
  },
  quota_exceeded: { status: 429, title: 'Quota exceeded', detail: 'This would exceed a quota.' },
  taken_down: { status: 451, title: 'Site taken down', detail: 'The operator has taken this site down.' },
  unavailable: {
    status: 503,
    title: 'Service unavailable',
    detail: 'The service cannot handle this request right now. Try again shortly.',
    retryable: true,
  },
  generator_unavailable: {
    status: 503,
    title: 'Page generation unavailable',
    detail: 'No model is available to generate pages.',
    suggestion: 'Use a template instead: GET /v1/code/templates lists them.',
  },
  builder_unavailable: {
    status: 503,
    title: 'Builder unavailable',
    detail: 'This service cannot build or run sites right now.',
  },
  no_agent: {
    status: 503,
    title: 'No agent connected',
    detail: 'No agent of this site is polling for work.',
    suggestion: 'Start an agent that polls GET /v1/connector/poll with a connector token of the site.',
    retryable: true,
  },
  server_failed: {
    status: 502,
    title: 'Site server failed',
    detail: 'The server of this site failed or sent an invalid response.',
    suggestion: 'If you own the site, check its logs.',
    retryable: true,
  },
  server_starting: {
    status: 503,
    title: 'Site server is starting',
    detail: 'The server of this site has not started yet.',
    suggestion: 'Wait for the number of seconds in the Retry-After header, then try again.',
    retryable: true,
  },
  server_timeout: {
    status: 504,
    title: 'Site server timed out',
    detail: 'The server of this site did not respond in time.',
    retryable: true,
  },
  storage_full: {
    status: 507,
    title: 'Storage full',
    detail: 'The service has run out of storage. Its operator needs to free space.',
    retryable: true,
  },
};
