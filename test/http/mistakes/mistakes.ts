/** The sites and credentials that the mistakes use. The site amber-otter is anonymous, and green-fox has an owner. */
export type World = {
  readonly editToken: string;
  readonly otherEditToken: string;
  readonly deployId: string;
  readonly session: string;
  readonly strangerSession: string;
  readonly viewerToken: string;
};

export type Mistake = {
  readonly title: string;
  readonly request: (world: World) => {
    readonly method?: string;
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string | Buffer;
  };
};

const HTML = { 'content-type': 'text/html' };
const JSON_TYPE = { 'content-type': 'application/json' };
const json = (body: unknown) => ({ headers: JSON_TYPE, body: JSON.stringify(body) });
const MCP_TYPES = 'application/json, text/event-stream';
const mcp = (message: object, accept = MCP_TYPES) => ({
  headers: { ...JSON_TYPE, accept },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
});
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const editToken = (token: string) => ({ 'x-svc-edit-token': token });
const signed = (credential: Readonly<Record<string, string>>, body: unknown) => ({
  headers: { ...JSON_TYPE, ...credential },
  body: JSON.stringify(body),
});

const entry = (path: string, content = '<h1>Hello</h1>') => ({ path, content });

const form = (name: string, filename: string) =>
  [
    '--boundary',
    `content-disposition: form-data; name="${name}"; filename="${filename}"`,
    'content-type: text/html',
    '',
    '<h1>Hello</h1>',
    '--boundary--',
    '',
  ].join('\r\n');

export const mistakes: readonly Mistake[] = [
  // Mistakes in the bodies of deploys.
  {
    title: 'Forgets the content type, so that curl sends its own',
    request: () => ({
      path: '/v1/deploy',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: '<h1>Hello</h1>',
    }),
  },
  { title: 'Sends no content type at all', request: () => ({ path: '/v1/deploy', body: '<h1>Hello</h1>' }) },
  {
    title: 'Misspells the content type',
    request: () => ({ path: '/v1/deploy', headers: { 'content-type': 'text/htm' }, body: '<h1>Hello</h1>' }),
  },
  { title: 'Deploys an empty page', request: () => ({ path: '/v1/deploy', headers: HTML, body: '' }) },
  { title: 'Deploys no files', request: () => ({ path: '/v1/deploy', ...json({ files: [] }) }) },
  {
    title: 'Sends JSON that is cut off',
    request: () => ({ path: '/v1/deploy', headers: JSON_TYPE, body: '{"files":[{"path":"index.html"' }),
  },
  {
    title: 'Sends JSON with an extra comma',
    request: () => ({ path: '/v1/deploy', headers: JSON_TYPE, body: '{"files":[],}' }),
  },
  { title: 'Sends an array instead of an object', request: () => ({ path: '/v1/deploy', ...json([]) }) },
  {
    title: 'Misspells the list of files',
    request: () => ({ path: '/v1/deploy', ...json({ file: [entry('a.html')] }) }),
  },
  {
    title: 'Leaves out the path of a file',
    request: () => ({ path: '/v1/deploy', ...json({ files: [{ content: 'x' }] }) }),
  },
  {
    title: 'Sends a number as content',
    request: () => ({ path: '/v1/deploy', ...json({ files: [{ path: 'index.html', content: 7 }] }) }),
  },
  {
    title: 'Sends content that is not base64',
    request: () => ({
      path: '/v1/deploy',
      ...json({ files: [{ path: 'a.png', content: '%%%%', encoding: 'base64' }] }),
    }),
  },
  {
    title: 'Misspells an encoding',
    request: () => ({ path: '/v1/deploy', ...json({ files: [{ path: 'a', content: 'x', encoding: 'base-64' }] }) }),
  },
  {
    title: 'Uses a path that leads out of the folder',
    request: () => ({ path: '/v1/deploy', ...json({ files: [entry('../index.html')] }) }),
  },
  {
    title: 'Uses backslashes in a path',
    request: () => ({ path: '/v1/deploy', ...json({ files: [entry('assets\\app.js')] }) }),
  },
  {
    title: 'Publishes a file of secrets',
    request: () => ({ path: '/v1/deploy', ...json({ files: [entry('index.html'), entry('.env', 'KEY=1')] }) }),
  },
  {
    title: 'Sends the same path twice',
    request: () => ({ path: '/v1/deploy', ...json({ files: [entry('index.html'), entry('index.html')] }) }),
  },
  {
    title: 'Sends more files than an anonymous site can have',
    request: () => ({ path: '/v1/deploy', ...json({ files: ['a', 'b', 'c', 'd'].map((path) => entry(path)) }) }),
  },
  {
    title: 'Sends a file that is too large',
    request: () => ({ path: '/v1/deploy', headers: HTML, body: 'x'.repeat(300 * 1024) }),
  },
  {
    title: 'Sends an invalid zip archive',
    request: () => ({ path: '/v1/deploy', headers: { 'content-type': 'application/zip' }, body: 'not a zip' }),
  },
  {
    title: 'Sends a zip archive that is cut off',
    request: () => ({
      path: '/v1/deploy',
      headers: { 'content-type': 'application/zip' },
      body: Buffer.from('504b0304140000000000000000000000000000000000000000000a0000', 'hex'),
    }),
  },
  {
    title: 'Sends a tar archive that is not compressed',
    request: () => ({
      path: '/v1/deploy',
      headers: { 'content-type': 'application/gzip' },
      body: Buffer.concat([Buffer.from('index.html'), Buffer.alloc(502)]),
    }),
  },
  {
    title: 'Compresses the body itself',
    request: () => ({ path: '/v1/deploy', headers: { ...HTML, 'content-encoding': 'gzip' }, body: 'x' }),
  },
  {
    title: 'Misspells the name of a form part',
    request: () => ({
      path: '/v1/deploy',
      headers: { 'content-type': 'multipart/form-data; boundary=boundary' },
      body: form('file', 'index.html'),
    }),
  },
  {
    title: 'Forgets the boundary of a form',
    request: () => ({
      path: '/v1/deploy',
      headers: { 'content-type': 'multipart/form-data' },
      body: form('files', 'index.html'),
    }),
  },
  {
    title: 'Refers to content that was never uploaded',
    request: () => ({ path: '/v1/deploy', ...json({ files: [{ path: 'index.html', sha256: 'a'.repeat(64) }] }) }),
  },
  // Mistakes in the options of deploys.
  {
    title: 'Chooses a slug with capitals',
    request: () => ({ path: '/v1/deploy?slug=My_Site', headers: HTML, body: 'x' }),
  },
  { title: 'Chooses a reserved slug', request: () => ({ path: '/v1/deploy?slug=admin', headers: HTML, body: 'x' }) },
  {
    title: 'Chooses a slug that is taken',
    request: () => ({ path: '/v1/deploy?slug=amber-otter', headers: HTML, body: 'x' }),
  },
  { title: 'Misspells an option', request: () => ({ path: '/v1/deploy?slugg=mine', headers: HTML, body: 'x' }) },
  { title: 'Misspells a mode', request: () => ({ path: '/v1/deploy?mode=merg', headers: HTML, body: 'x' }) },
  {
    title: 'Writes an expiry in words',
    request: () => ({ path: '/v1/deploy?expires=2hours', headers: HTML, body: 'x' }),
  },
  {
    title: 'Sets an expiry as a signed-in user',
    request: ({ session }) => ({ path: '/v1/deploy?expires=2h', headers: { ...HTML, ...bearer(session) }, body: 'x' }),
  },
  {
    title: 'Creates a site without publishing it',
    request: () => ({ path: '/v1/deploy?publish=false', headers: HTML, body: 'x' }),
  },
  {
    title: 'Uses an idempotency key that is too short',
    request: () => ({ path: '/v1/deploy', headers: { ...HTML, 'idempotency-key': 'abc' }, body: 'x' }),
  },
  // Mistakes in redeploys.
  {
    title: 'Forgets the slug of a redeploy',
    request: (world) => ({
      method: 'PATCH',
      path: '/v1/deploy',
      headers: { ...HTML, ...editToken(world.editToken) },
      body: 'x',
    }),
  },
  {
    title: 'Redeploys a site that does not exist',
    request: (world) => ({
      method: 'PATCH',
      path: '/v1/deploy?slug=amber-oter',
      headers: { ...HTML, ...editToken(world.editToken) },
      body: 'x',
    }),
  },
  {
    title: 'Redeploys without the edit token',
    request: () => ({ method: 'PATCH', path: '/v1/deploy?slug=amber-otter', headers: HTML, body: 'x' }),
  },
  {
    title: 'Redeploys with the edit token of another site',
    request: (world) => ({
      method: 'PATCH',
      path: '/v1/deploy?slug=amber-otter',
      headers: { ...HTML, ...editToken(world.otherEditToken) },
      body: 'x',
    }),
  },
  {
    title: 'Sends an edit token with a character missing',
    request: (world) => ({
      method: 'PATCH',
      path: '/v1/deploy?slug=amber-otter',
      headers: { ...HTML, ...editToken('stele_edit_short') },
      body: world.deployId,
    }),
  },
  {
    title: 'Sends the edit token as a bearer token',
    request: (world) => ({
      method: 'PATCH',
      path: '/v1/deploy?slug=amber-otter',
      headers: { ...HTML, ...bearer(world.editToken) },
      body: 'x',
    }),
  },
  {
    title: 'Redeploys a site of someone else',
    request: (world) => ({
      method: 'PATCH',
      path: '/v1/deploy?slug=green-fox',
      headers: { ...HTML, ...bearer(world.strangerSession) },
      body: 'x',
    }),
  },
  {
    title: 'Redeploys with a token that only reads',
    request: (world) => ({
      method: 'PATCH',
      path: '/v1/deploy?slug=green-fox',
      headers: { ...HTML, ...bearer(world.viewerToken) },
      body: 'x',
    }),
  },
  {
    title: 'Redeploys over a change of someone else',
    request: (world) => ({
      method: 'PATCH',
      path: '/v1/deploy?slug=amber-otter',
      headers: { ...HTML, ...editToken(world.editToken), 'if-match': '"1"' },
      body: 'x',
    }),
  },
  {
    title: 'Writes If-Match without quotes around a word',
    request: (world) => ({
      method: 'PATCH',
      path: '/v1/deploy?slug=amber-otter',
      headers: { ...HTML, ...editToken(world.editToken), 'if-match': 'latest' },
      body: 'x',
    }),
  },
  // Mistakes in credentials.
  { title: 'Lists sites without signing in', request: () => ({ method: 'GET', path: '/v1/me/sites' }) },
  {
    title: 'Sends a shell variable that was never set',
    request: () => ({ method: 'GET', path: '/v1/me', headers: { authorization: 'Bearer ' } }),
  },
  {
    title: 'Forgets the word Bearer',
    request: ({ session }) => ({ method: 'GET', path: '/v1/me', headers: { authorization: session } }),
  },
  {
    title: 'Sends a token of another service',
    request: () => ({ method: 'GET', path: '/v1/me', headers: bearer(`ghp_${'a'.repeat(36)}`) }),
  },
  {
    title: 'Signs in with an invalid address',
    request: () => ({ path: '/v1/auth/start', ...json({ email: 'ann' }) }),
  },
  { title: 'Signs in without an address', request: () => ({ path: '/v1/auth/start', ...json({}) }) },
  {
    title: 'Opens a sign-in link twice',
    request: () => ({ method: 'GET', path: '/v1/auth/verify?token=used-before' }),
  },
  {
    title: 'Claims a site with the edit token of another site',
    request: (world) => ({
      path: '/v1/claim/start',
      ...json({ slug: 'amber-otter', editToken: world.otherEditToken, email: 'ann@example.org' }),
    }),
  },
  {
    title: 'Claims a site that has an owner',
    request: (world) => ({
      path: '/v1/claim/start',
      ...json({ slug: 'green-fox', editToken: world.editToken, email: 'eve@example.org' }),
    }),
  },
  // Mistakes in requests about sites.
  { title: 'Reads a site that does not exist', request: () => ({ method: 'GET', path: '/v1/sites/no-such-site' }) },
  {
    title: 'Reads the history of someone else',
    request: ({ strangerSession }) => ({
      method: 'GET',
      path: '/v1/sites/green-fox/history',
      headers: bearer(strangerSession),
    }),
  },
  {
    title: 'Requests page 0',
    request: ({ session }) => ({ method: 'GET', path: '/v1/sites/green-fox/history?page=0', headers: bearer(session) }),
  },
  {
    title: 'Requests too many entries',
    request: ({ session }) => ({ method: 'GET', path: '/v1/me/sites?limit=1000', headers: bearer(session) }),
  },
  {
    title: 'Reads a deploy that does not exist',
    request: ({ session }) => ({
      method: 'GET',
      path: '/v1/sites/green-fox/deploys/dep_nothing/manifest',
      headers: bearer(session),
    }),
  },
  {
    title: 'Rolls back to nothing',
    request: ({ session }) => ({ path: '/v1/sites/green-fox/rollback', ...signed(bearer(session), {}) }),
  },
  {
    title: 'Rolls back past the first deploy',
    request: ({ session }) => ({
      path: '/v1/sites/green-fox/rollback',
      ...signed(bearer(session), { deployId: 'previous' }),
    }),
  },
  {
    title: 'Rolls back to a number that does not exist',
    request: ({ session }) => ({ path: '/v1/sites/green-fox/rollback', ...signed(bearer(session), { number: 9 }) }),
  },
  {
    title: 'Downloads a file that is not in the deploy',
    request: ({ session }) => ({
      method: 'GET',
      path: '/v1/sites/green-fox/files/abuot.html',
      headers: bearer(session),
    }),
  },
  {
    title: 'Invites someone as administrator',
    request: ({ session }) => ({
      path: '/v1/sites/green-fox/invites',
      ...signed(bearer(session), { email: 'bob@example.org', role: 'admin' }),
    }),
  },
  {
    title: 'Shares an anonymous site',
    request: (world) => ({
      path: '/v1/sites/amber-otter/invites',
      ...signed(editToken(world.editToken), { email: 'bob@example.org', role: 'editor' }),
    }),
  },
  {
    title: 'Enables password protection without a password',
    request: ({ session }) => ({
      path: '/v1/sites/green-fox/access',
      ...signed(bearer(session), { visibility: 'password' }),
    }),
  },
  {
    title: 'Misspells a visibility',
    request: ({ session }) => ({
      path: '/v1/sites/green-fox/access',
      ...signed(bearer(session), { visibility: 'private' }),
    }),
  },
  {
    title: 'Renames a site to a name that is taken',
    request: ({ session }) => ({
      path: '/v1/sites/green-fox/rename',
      ...signed(bearer(session), { slug: 'amber-otter' }),
    }),
  },
  {
    title: 'Renames a site with an access token',
    request: ({ viewerToken }) => ({
      path: '/v1/sites/green-fox/rename',
      ...signed(bearer(viewerToken), { slug: 'red-fox' }),
    }),
  },
  {
    title: 'Names a secret in lower case with a dash',
    request: ({ session }) => ({
      method: 'PUT',
      path: '/v1/sites/green-fox/secrets/api-key',
      ...signed(bearer(session), { value: 'x' }),
    }),
  },
  {
    title: 'Adds a domain with its scheme',
    request: ({ session }) => ({
      path: '/v1/sites/green-fox/domains',
      ...signed(bearer(session), { hostname: 'https://www.example.com/' }),
    }),
  },
  {
    title: 'Turns on a capability that does not exist',
    request: ({ session }) => ({
      path: '/v1/sites/green-fox/capabilities',
      ...signed(bearer(session), { name: 'php', enabled: true }),
    }),
  },
  {
    title: 'Creates a token with the owner role',
    request: ({ session }) => ({
      path: '/v1/sites/green-fox/tokens',
      ...signed(bearer(session), { name: 'ci', role: 'owner' }),
    }),
  },
  {
    title: 'Removes a member who does not exist',
    request: ({ session }) => ({
      method: 'DELETE',
      path: '/v1/sites/green-fox/members/mem_nobody',
      headers: bearer(session),
    }),
  },
  {
    title: 'Reruns the job of a site without jobs',
    request: ({ session }) => ({ path: '/v1/sites/green-fox/rerun', ...signed(bearer(session), {}) }),
  },
  {
    title: 'Reads analytics that are not turned on',
    request: ({ session }) => ({ method: 'GET', path: '/v1/sites/green-fox/analytics', headers: bearer(session) }),
  },
  // Mistakes in requests about repositories, jobs and streams.
  { title: 'Deploys a repository without its URL', request: () => ({ path: '/v1/repo/deploy', ...json({}) }) },
  {
    title: 'Deploys a repository by its name alone',
    request: () => ({ path: '/v1/repo/deploy', ...json({ url: 'owner/name' }) }),
  },
  {
    title: 'Deploys a repository with a password in its URL',
    request: () => ({ path: '/v1/repo/deploy', ...json({ url: 'https://me:secret@example.org/owner/name' }) }),
  },
  {
    title: 'Deploys a repository of the local network',
    request: () => ({ path: '/v1/repo/check', ...json({ url: 'https://127.0.0.1/owner/name' }) }),
  },
  {
    title: 'Follows a job that does not exist',
    request: () => ({ method: 'GET', path: '/v1/jobs/job_nothing/events' }),
  },
  {
    title: 'Resumes a stream from a word',
    request: ({ session }) => ({
      method: 'GET',
      path: '/v1/sites/green-fox/events?after=yesterday',
      headers: bearer(session),
    }),
  },
  // Other mistakes in requests.
  { title: 'Uses the wrong method', request: () => ({ method: 'PUT', path: '/v1/deploy', headers: HTML, body: 'x' }) },
  { title: 'Requests a path that does not exist', request: () => ({ method: 'GET', path: '/v1/site/green-fox' }) },
  { title: 'Requests a path of another version', request: () => ({ method: 'GET', path: '/v2/limits' }) },
  { title: 'Uses an invalid percent-encoding in a path', request: () => ({ method: 'GET', path: '/v1/sites/%zz' }) },
  {
    title: 'Uses a wrong digest in the URL of an upload',
    request: ({ session }) => ({
      method: 'PUT',
      path: `/v1/uploads/${'a'.repeat(64)}`,
      headers: { 'content-type': 'application/octet-stream', ...bearer(session) },
      body: 'x',
    }),
  },
  {
    title: 'Sends a batch of MCP messages',
    request: () => ({
      path: '/mcp',
      headers: { ...JSON_TYPE, accept: MCP_TYPES },
      body: '[]',
    }),
  },
  {
    title: 'Calls an MCP tool without naming it',
    request: () => ({ path: '/mcp', ...mcp({ method: 'tools/call', params: { arguments: {} } }) }),
  },
  {
    title: 'Sends the arguments of an MCP tool as a string',
    request: () => ({ path: '/mcp', ...mcp({ method: 'tools/call', params: { name: 'get_site', arguments: '{}' } }) }),
  },
  {
    title: 'Sends an MCP message without its JSON-RPC version',
    request: () => ({ path: '/mcp', ...mcp({ jsonrpc: undefined, method: 'tools/list' }) }),
  },
  {
    title: 'Accepts only JSON from the MCP endpoint',
    request: () => ({ path: '/mcp', ...mcp({ method: 'tools/list' }, 'application/json') }),
  },
  {
    title: 'Generates a page from a template that does not exist',
    request: ({ session }) => ({
      path: '/v1/code/generate',
      ...signed(bearer(session), { template: 'no-such-template', parameters: {} }),
    }),
  },
];
