import type { RefusalCode } from '../../kernel/refusal.js';

/** How a refusal is put to clients. */
export type ProblemText = {
  readonly status: number;
  readonly title: string;
  /** One thing that the caller can do. */
  readonly suggestion?: string;
  /** Whether the same request may succeed later. */
  readonly retryable?: true;
};

/** The status and texts of each refusal code. A code without an entry does not compile. */
export const problems: Record<RefusalCode, ProblemText> = {
  invalid_request: {
    status: 400,
    title: 'The request is not of the expected shape',
    suggestion: 'Correct the fields named in “errors”; /openapi.json has the shapes.',
  },
  no_files: {
    status: 400,
    title: 'There are no files in the request',
    suggestion:
      'Send at least one file, as multipart parts named “files”, as JSON {"files":[{"path","content"}]}, or as a text/html body.',
  },
  invalid_path: {
    status: 400,
    title: 'A file has a path that cannot be published',
    suggestion: 'Use relative paths with forward slashes, such as assets/app.js.',
  },
  blocked_path: {
    status: 400,
    title: 'A file is of a kind that is never published',
    suggestion:
      'Leave out .git, .env files, .npmrc, .ssh and node_modules: they tend to hold secrets or are not part of a site.',
  },
  invalid_slug: {
    status: 400,
    title: 'The slug cannot be used',
    suggestion: 'Choose another slug, or leave it out and one is made.',
  },
  invalid_expires: {
    status: 400,
    title: 'The expiry cannot be used',
    suggestion: 'Use digits followed by s, m, h or d, from 1s to 30d.',
  },
  expires_needs_anonymous: { status: 400, title: 'Only anonymous deploys expire' },
  invalid_token: {
    status: 400,
    title: 'The token is unknown, used or expired',
    suggestion: 'Start again to get a new one.',
  },
  unauthenticated: {
    status: 401,
    title: 'This needs to know who you are',
    suggestion: 'Sign in, or send a site’s edit token in the header x-svc-edit-token.',
  },
  forbidden: { status: 403, title: 'You may not do this' },
  edit_token_invalid: {
    status: 403,
    title: 'The edit token is not valid for this site',
    suggestion: 'Use the editToken that the site’s first deploy answered.',
  },
  cross_origin: { status: 403, title: 'This request came from another site' },
  capability_disabled: {
    status: 403,
    title: 'The site has this capability switched off',
    suggestion:
      'Switch it on: POST /v1/sites/{slug}/capabilities {"name", "enabled": true}, as its owner or an editor.',
  },
  not_found: {
    status: 404,
    title: 'There is nothing here',
    suggestion: '/openapi.json and /llms.txt list what there is.',
  },
  site_not_found: { status: 404, title: 'There is no such site' },
  deploy_not_found: {
    status: 404,
    title: 'There is no such deploy',
    suggestion: 'GET /v1/sites/{slug}/deploys lists the site’s deploys.',
  },
  job_not_found: { status: 404, title: 'There is no such job' },
  method_not_allowed: {
    status: 405,
    title: 'This address does not take this method',
    suggestion: 'The “allow” header lists those it takes.',
  },
  slug_taken: {
    status: 409,
    title: 'Another site has this slug',
    suggestion: 'Choose another slug, or send the edit token of the site that has it.',
  },
  already_claimed: { status: 409, title: 'The site belongs to somebody already' },
  job_finished: { status: 409, title: 'The job has finished' },
  nothing_to_rerun: { status: 409, title: 'The site has no repository deploy to run again' },
  domain_taken: { status: 409, title: 'Another site has this domain' },
  last_owner: { status: 409, title: 'A site keeps at least one owner' },
  lease_lost: { status: 409, title: 'The work was given to somebody else' },
  conflict: {
    status: 409,
    title: 'Others are changing this at the same time',
    suggestion: 'Try again.',
    retryable: true,
  },
  idempotency_in_progress: {
    status: 409,
    title: 'A request with this idempotency key is being answered',
    suggestion: 'Wait for it, or try again later.',
    retryable: true,
  },
  site_expired: { status: 410, title: 'The site has expired' },
  revision_mismatch: {
    status: 412,
    title: 'The site has changed since you last saw it',
    suggestion: 'Read the site again, then decide.',
  },
  too_large: { status: 413, title: 'The request is too large' },
  too_many_files: { status: 413, title: 'There are too many files in the request' },
  unsupported_media_type: {
    status: 415,
    title: 'This kind of body is not understood here',
    suggestion:
      'Say what the body is by the header content-type, as /openapi.json has it; curl says application/x-www-form-urlencoded unless it is told otherwise.',
  },
  wrong_host: { status: 421, title: 'This server does not answer for this host' },
  idempotency_key_reused: {
    status: 422,
    title: 'The idempotency key was used for another request',
    suggestion: 'Use a new key for a new request.',
  },
  repo_unreachable: { status: 422, title: 'The repository cannot be reached' },
  repo_not_allowed: { status: 422, title: 'This repository address is not allowed' },
  plan_not_detected: { status: 422, title: 'No way to build this repository was found' },
  blob_missing: {
    status: 422,
    title: 'Some content is not stored yet',
    suggestion: 'Upload the files named in “errors”.',
  },
  digest_mismatch: {
    status: 422,
    title: 'The bytes are not those that were announced',
    suggestion: 'Send the bytes of which the address has the SHA-256, and as many as were declared.',
  },
  generation_refused: {
    status: 422,
    title: 'The model does not write this page',
    suggestion: 'Ask for it in other words, or use a template.',
  },
  generation_incomplete: {
    status: 422,
    title: 'What the model wrote is not a page that can be offered',
    suggestion: 'Try again, or ask for a simpler page.',
    retryable: true,
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    suggestion: 'Wait for as many seconds as the “retry-after” header says.',
    retryable: true,
  },
  quota_exceeded: { status: 429, title: 'A quota is used up' },
  taken_down: { status: 451, title: 'The site was taken down' },
  unavailable: {
    status: 503,
    title: 'This cannot be done right now',
    suggestion: 'Try again shortly.',
    retryable: true,
  },
  generator_unavailable: {
    status: 503,
    title: 'No model answers here',
    suggestion: 'Use a template: GET /v1/code/templates lists them.',
  },
  builder_unavailable: { status: 503, title: 'No builder is available' },
  no_agent: {
    status: 503,
    title: 'No agent is listening',
    suggestion: 'Start an agent that polls GET /v1/connector/poll with a connector token of the site.',
    retryable: true,
  },
  server_failed: {
    status: 502,
    title: 'The program of the site does not answer as it should',
    suggestion: 'Its owners find the reason in the site’s logs.',
    retryable: true,
  },
  server_starting: {
    status: 503,
    title: 'The program of the site is starting',
    suggestion: 'Try again after “retry-after”.',
    retryable: true,
  },
  server_timeout: { status: 504, title: 'The program of the site did not answer in time', retryable: true },
  storage_full: { status: 507, title: 'The server has no room left', retryable: true },
};
