/**
 * Statuses by caller: anonymous, signed in without a role, the three roles, and the edit token of an anonymous site.
 */
export type Statuses = readonly [
  none: number,
  stranger: number,
  viewer: number,
  editor: number,
  owner: number,
  token: number,
];

export type AskedSite = {
  readonly slug: string;
  readonly deployId: string;
  readonly visibility: 'public' | 'members';
  readonly jobId: string;
  /** Unique for each request. */
  readonly once: string;
};

export type Row = {
  readonly operation: string;
  readonly statuses: Statuses;
  /**
   * Statuses for a site that is not public. By default, 404 for callers without a role and unchanged for the others.
   */
  readonly hidden?: Statuses;
  readonly query?: (site: AskedSite) => Record<string, string>;
  readonly body?: (site: AskedSite) => string | object;
  readonly headers?: Record<string, string>;
};

const READ: Statuses = [401, 403, 200, 200, 200, 200];
const EDIT: Statuses = [401, 403, 403, 200, 200, 200];
const OWN: Statuses = [401, 403, 403, 403, 200, 403];
const owns = (status: number): Statuses => [401, 403, 403, 403, status, 403];
const OPERATORS: Statuses = [401, 403, 403, 403, 403, 401];
const everybody = (status: number): Statuses => [status, status, status, status, status, status];

/**
 * Each operation on a site, with a request in which only the caller may be wrong. Callers with a sufficient role may
 * get another refusal: 404 for an unknown member, or 412 for a revision that never existed.
 */
export const matrix: readonly Row[] = [
  { operation: 'GET /v1/sites/{slug}', statuses: everybody(200), hidden: [404, 404, 200, 200, 200, 200] },
  { operation: 'PATCH /v1/sites/{slug}', statuses: OWN, body: () => ({ title: 'Ours' }) },
  {
    operation: 'DELETE /v1/sites/{slug}',
    statuses: [401, 403, 403, 403, 412, 412],
    headers: { 'if-match': '"999999"' },
  },
  { operation: 'POST /v1/sites/{slug}/access', statuses: OWN, body: ({ visibility }) => ({ visibility }) },
  { operation: 'POST /v1/sites/{slug}/rename', statuses: OWN, body: ({ slug }) => ({ slug }) },
  { operation: 'GET /v1/sites/{slug}/deploys', statuses: READ },
  {
    operation: 'GET /v1/sites/{slug}/deploys/diff',
    statuses: READ,
    query: ({ deployId }) => ({ from: deployId, to: deployId }),
  },
  { operation: 'GET /v1/sites/{slug}/deploys/{deployId}/manifest', statuses: READ },
  { operation: 'GET /v1/sites/{slug}/deploys/{deployId}/provenance', statuses: READ },
  { operation: 'GET /v1/sites/{slug}/files', statuses: READ },
  { operation: 'GET /v1/sites/{slug}/files.zip', statuses: READ },
  { operation: 'GET /v1/sites/{slug}/files/{path}', statuses: READ },
  { operation: 'GET /v1/sites/{slug}/history', statuses: READ },
  { operation: 'GET /v1/sites/{slug}/logs', statuses: READ },
  { operation: 'GET /v1/sites/{slug}/jobs', statuses: READ },
  // Analytics are switched off, but the response says so only to callers who can read them.
  { operation: 'GET /v1/sites/{slug}/analytics', statuses: [401, 403, 403, 403, 403, 403] },
  { operation: 'GET /v1/sites/{slug}/events', statuses: READ, headers: { accept: 'application/json' } },
  { operation: 'POST /v1/sites/{slug}/rollback', statuses: EDIT, body: ({ deployId }) => ({ deployId }) },
  {
    operation: 'PATCH /v1/deploy',
    statuses: EDIT,
    query: ({ slug }) => ({ slug }),
    headers: { 'content-type': 'text/html' },
    body: () => '<h1>Again</h1>',
  },
  {
    // It is not secret that a name is taken.
    operation: 'POST /v1/deploy',
    statuses: [409, 409, 403, 200, 200, 200],
    hidden: [409, 409, 403, 200, 200, 200],
    query: ({ slug }) => ({ slug }),
    headers: { 'content-type': 'text/html' },
    body: () => '<h1>Again</h1>',
  },
  {
    operation: 'POST /v1/deploy/prepared',
    statuses: [409, 409, 403, 201, 201, 201],
    hidden: [409, 409, 403, 201, 201, 201],
    query: ({ slug }) => ({ slug }),
  },
  {
    operation: 'POST /v1/repo/deploy',
    statuses: [409, 409, 403, 200, 200, 200],
    hidden: [409, 409, 403, 200, 200, 200],
    body: ({ slug }) => ({ url: 'http://127.0.0.1:9/nothing.git', slug }),
  },
  {
    operation: 'POST /v1/cli/preflight',
    statuses: everybody(200),
    hidden: everybody(200),
    body: ({ slug }) => ({ slug, files: [{ path: 'index.html', size: 1, sha256: '0'.repeat(64) }] }),
  },
  { operation: 'POST /v1/sites/{slug}/rerun', statuses: EDIT },
  // No repository is linked.
  { operation: 'GET /v1/sites/{slug}/repository', statuses: [401, 403, 403, 404, 404, 404] },
  {
    operation: 'PUT /v1/sites/{slug}/repository',
    statuses: OWN,
    body: () => ({ url: 'http://127.0.0.1:9/nothing.git' }),
  },
  { operation: 'DELETE /v1/sites/{slug}/repository', statuses: owns(204) },
  {
    operation: 'POST /v1/sites/{slug}/invites',
    statuses: owns(201),
    body: ({ once }) => ({ email: `${once}@example.org`, role: 'viewer' }),
  },
  { operation: 'GET /v1/sites/{slug}/invites', statuses: OWN },
  { operation: 'DELETE /v1/sites/{slug}/invites', statuses: owns(404), query: () => ({ id: `inv_${'0'.repeat(26)}` }) },
  { operation: 'GET /v1/sites/{slug}/members', statuses: READ },
  { operation: 'PATCH /v1/sites/{slug}/members/{id}', statuses: owns(404), body: () => ({ role: 'viewer' }) },
  { operation: 'DELETE /v1/sites/{slug}/members/{id}', statuses: owns(404) },
  { operation: 'GET /v1/sites/{slug}/secrets', statuses: EDIT },
  { operation: 'PUT /v1/sites/{slug}/secrets/{name}', statuses: OWN, body: () => ({ value: 'swordfish' }) },
  { operation: 'DELETE /v1/sites/{slug}/secrets/{name}', statuses: [401, 403, 403, 403, 204, 403] },
  { operation: 'GET /v1/sites/{slug}/capabilities', statuses: READ },
  {
    operation: 'POST /v1/sites/{slug}/capabilities',
    statuses: EDIT,
    body: () => ({ name: 'spa', enabled: false }),
  },
  { operation: 'GET /v1/sites/{slug}/domains', statuses: READ },
  {
    operation: 'POST /v1/sites/{slug}/domains',
    statuses: owns(201),
    body: ({ slug }) => ({ hostname: `${slug}.com` }),
  },
  {
    operation: 'POST /v1/sites/{slug}/domains/access',
    statuses: owns(404),
    body: () => ({ hostname: 'example.org', hsts: true }),
  },
  { operation: 'POST /v1/sites/{slug}/domains/{hostname}', statuses: owns(404) },
  { operation: 'DELETE /v1/sites/{slug}/domains/{hostname}', statuses: owns(404) },
  { operation: 'GET /v1/sites/{slug}/domains/{hostname}/zone', statuses: owns(404) },
  {
    operation: 'POST /v1/sites/{slug}/tokens',
    statuses: owns(201),
    body: ({ once }) => ({ name: once, role: 'viewer' }),
  },
  { operation: 'GET /v1/sites/{slug}/tokens', statuses: OWN },
  { operation: 'DELETE /v1/sites/{slug}/tokens/{id}', statuses: owns(404) },
  {
    // An owner's request is valid except for the issuer's address.
    operation: 'POST /v1/sites/{slug}/publishers',
    statuses: owns(400),
    body: () => ({ issuer: 'https://127.0.0.1', claims: { repository: 'octo-org/website' } }),
  },
  { operation: 'GET /v1/sites/{slug}/publishers', statuses: OWN },
  { operation: 'DELETE /v1/sites/{slug}/publishers/{id}', statuses: owns(404) },
  { operation: 'POST /v1/sites/{slug}/connector/tokens', statuses: owns(201), body: ({ once }) => ({ name: once }) },
  { operation: 'GET /v1/sites/{slug}/connector/tokens', statuses: OWN },
  { operation: 'DELETE /v1/sites/{slug}/connector/tokens/{id}', statuses: owns(404) },
  // Every member may do this if the connector is on.
  {
    operation: 'POST /v1/sites/{slug}/connector/invoke',
    statuses: [401, 403, 403, 403, 403, 403],
    body: () => ({ input: 'x', wait: 0 }),
  },
  { operation: 'GET /v1/sites/{slug}/connector/invocations', statuses: OWN },
  // Anyone who has an invocation's ID can read it.
  { operation: 'GET /v1/sites/{slug}/connector/invocations/{id}', statuses: everybody(404) },
  // Anyone who has a job's ID can read it if its site is anonymous.
  { operation: 'GET /v1/jobs/{id}', statuses: [404, 404, 200, 200, 200, 200] },
  {
    operation: 'GET /v1/jobs/{id}/events',
    statuses: [404, 404, 200, 200, 200, 200],
    headers: { accept: 'application/json' },
  },
  { operation: 'POST /v1/jobs/{id}/stop', statuses: [404, 404, 403, 409, 409, 409] },
  // Only the operator can do this, with another token.
  {
    operation: 'POST /v1/admin/sites/{slug}/takedown',
    statuses: OPERATORS,
    hidden: OPERATORS,
    body: () => ({ reason: 'x' }),
  },
  { operation: 'POST /v1/admin/sites/{slug}/restore', statuses: OPERATORS, hidden: OPERATORS },
  // Below /s/, public sites are available to everyone, and no others.
  { operation: 'GET /s/{slug}/{path}', statuses: everybody(200), hidden: everybody(404) },
];

/** Operations that do not concern a site, with the statuses for anonymous and for signed-in callers. */
export const others: readonly (readonly [operation: string, none: number, signedIn: number])[] = [
  ['GET /v1/me', 401, 200],
  ['DELETE /v1/me', 401, 409],
  ['GET /v1/me/sessions', 401, 200],
  ['DELETE /v1/me/sessions/{id}', 401, 404],
  ['GET /v1/me/sites', 401, 200],
  ['GET /v1/me/domains', 401, 200],
  ['GET /v1/me/grants', 401, 200],
  ['DELETE /v1/me/grants/{id}', 401, 404],
  ['PATCH /v1/me', 401, 400],
  ['GET /v1/me/tokens', 401, 200],
  ['POST /v1/me/tokens', 401, 400],
  ['DELETE /v1/me/tokens/{id}', 401, 404],
  ['GET /v1/admin/servers', 401, 403],
  ['GET /v1/admin/traffic', 401, 403],
  ['POST /v1/admin/sessions/end', 400, 400],
  ['GET /v1/admin/incidents', 401, 403],
  ['POST /v1/admin/incidents', 400, 400],
  ['PATCH /v1/admin/incidents/{id}', 400, 400],
  ['GET /status', 200, 200],
  ['GET /status.rss', 200, 200],
  ['POST /v1/claim/start', 400, 400],
  ['GET /v1/claim/verify', 400, 400],
  ['POST /v1/claim/verify', 400, 400],
  ['POST /v1/claim/session', 401, 400],
  ['GET /v1/invites/accept', 400, 400],
  ['POST /v1/invites/accept', 400, 400],
  ['POST /v1/auth/start', 400, 400],
  ['GET /v1/auth/verify', 400, 400],
  ['POST /v1/auth/verify', 400, 400],
  ['POST /v1/auth/code', 400, 400],
  ['GET /v1/auth/idp', 503, 503],
  ['GET /v1/auth/idp/callback', 400, 400],
  ['GET /v1/auth/cli', 400, 400],
  ['POST /v1/auth/cli', 400, 400],
  ['GET /v1/auth/cli/complete', 401, 400],
  ['POST /v1/auth/cli/exchange', 400, 400],
  ['POST /v1/auth/exchange', 400, 400],
  ['POST /v1/repo/check', 400, 400],
  ['GET /v1/code/templates', 200, 200],
  ['GET /v1/code/templates/{name}/preview', 404, 404],
  ['POST /v1/code/generate', 401, 400],
  ['GET /v1/connector/poll', 401, 401],
  ['POST /v1/connector/result/{id}', 401, 401],
  ['POST /v1/cli/event', 400, 400],
  ['GET /v1/cli/runs/{runId}/events', 404, 404],
  // The request is not a WebSocket handshake.
  ['GET /v1/live', 400, 400],
  ['POST /v1/waitlist', 400, 400],
  ['GET /health', 200, 200],
  ['GET /ready', 200, 200],
  ['GET /errors/{code}', 404, 404],
  ['GET /llms.txt', 200, 200],
  ['GET /llms-full.txt', 200, 200],
  ['PUT /v1/deploy/prepared', 400, 400],
  ['GET /openapi.json', 200, 200],
  ['GET /v1/limits', 200, 200],
  ['GET /v1/changelog', 200, 200],
  ['GET /v1/changelog.md', 200, 200],
  ['GET /v1/changelog.rss', 200, 200],
  ['GET /.well-known/security.txt', 200, 200],
  ['GET /.well-known/stele-audit-key', 200, 200],
  ['GET /dev/outbox.json', 200, 200],
];

/** Operations that would end the caller's session or need a different request. */
export const askedElsewhere: readonly string[] = [
  'POST /v1/auth/logout',
  ...['DELETE', 'HEAD', 'PATCH', 'PUT'].map((method) => `${method} /v1/uploads/{sha256}`),
];
