const PARSER = 'Caddy reads these bytes first, and either refuses them with its own response or corrects them';
const EMBEDDED = 'the test reads the files of the embedded PostgreSQL, which only a single process uses';
const PROGRAM = 'the test is about one process: how it starts, which store it uses, what it prints';
const HEAD = 'Caddy forwards the head of a request, and its response, only while more of the body arrives';
const WHOLE = 'Caddy uses only the absolute URL (RFC 9112 section 3.2.2), and forwards its path with its host';
const ADDRESS = 'Caddy itself refuses a URL that cannot be decoded, with its own response';

const TOLD =
  'other processes show a change of the status within ten seconds; test/fleet/status tests several processes';

const TWO = 'the test starts two processes itself, so running it with two fleets would add nothing';

const SUITE = 'the tools that the suite expects are added only to a single process';

/**
 * Tests that are skipped against a fleet, because they apply only to a single process. Each entry has the file, the
 * beginning of the title, and the reason.
 */
const table = [
  ['test/http/deploying/story.http-spec.ts', '', PROGRAM],
  ...['servers', 'hostile-servers', 'server-access', 'server-web-sockets'].map((name) => [
    `test/http/servers/${name}.http-spec.ts`,
    '',
    'the servers are known only to the process that the test starts with special hooks',
  ]),
  ['test/http/agents/conformance.http-spec.ts', '', SUITE],
  ['test/http/connector/eager-agents.http-spec.ts', '', 'only the process that the agent polls reserves work for it'],
  ['test/http/service/kurrent.http-spec.ts', '', PROGRAM],
  [
    'test/http/service/about-metrics.http-spec.ts',
    '',
    'each process counts only its own requests, and metrics are not available through Caddy',
  ],
  [
    'test/http/history/audit.http-spec.ts',
    'The audit trail of a site › signing keys › the operator can rotate',
    'the command in the test uses the embedded database',
  ],
  [
    'test/http/service/http-protocol.http-spec.ts',
    'Requests from a page of another origin › pages of other origins can read every response',
    'the test requests a URL that Caddy itself refuses, with its own response',
  ],
  ['test/http/traffic/recording.http-spec.ts', 'Recording requests to a site › each request is recorded once', ADDRESS],
  [
    'test/http/traffic/recording.http-spec.ts',
    'Recording requests to a site › requests are recorded as displayable text',
    PARSER,
  ],
  [
    'test/http/traffic/recording.http-spec.ts',
    'Recording requests to a site › if a visitor disconnects early',
    'Caddy reads a response faster than the visitor does',
  ],
  [
    'test/http/traffic/recording.http-spec.ts',
    'Recording requests to a site › requests are counted in the metrics',
    PROGRAM,
  ],
  ['test/http/traffic/recording.http-spec.ts', 'an unreadable country database', PROGRAM],
  ['test/http/status/status.http-spec.ts', '', TOLD],
  ['test/http/status/incidents.http-spec.ts', '', TOLD],
  ['test/http/status/records.http-spec.ts', '', TOLD],
  ['test/http/sites/rename.http-spec.ts', 'Names, details and capabilities on two processes', TWO],
  ['test/http/people/agents-two-processes.http-spec.ts', '', TWO],
  ['test/http/people/tokens-two-processes.http-spec.ts', '', TWO],
  ['test/http/deploying/bodies.http-spec.ts', 'Request bodies of a deploy › a body whose announced size exceeds', HEAD],
  [
    'test/http/service/limits.http-spec.ts',
    'With rate limits, behind a trusted proxy › a request over the limit is refused before its body is read',
    HEAD,
  ],
  [
    'test/http/deploying/preflight.http-spec.ts',
    'POST /v1/cli/preflight › an invalid request body › an oversized body',
    HEAD,
  ],
  ['test/http/service/http-protocol.http-spec.ts', 'Malformed input', PARSER],
  ['test/http/service/http-protocol.http-spec.ts', 'OPTIONS › OPTIONS *', 'Caddy itself responds to OPTIONS *'],
  [
    'test/http/service/http-protocol.http-spec.ts',
    'A response sent before the request has ended',
    'Caddy forwards the response and closes the connection half a second later, even if the client is still sending',
  ],
  ['test/http/serving/host-routing.http-spec.ts', 'A request smuggled inside another one', PARSER],
  ...[
    'otter.localhost:3000@evil.example"',
    'evil.example@otter.localhost"',
    'evil.example@localhost"',
    'localhost/../evil"',
    'localhost\\\\evil"',
    'localhost#.evil.example"',
    'localhost?.evil.example"',
    'localhost evil.example"',
    'ötter.localhost"',
  ].map((host) => [
    'test/http/serving/host-routing.http-spec.ts',
    `Host header › the Host header "${host}`,
    'Caddy itself refuses such a Host, with its own 400 response',
  ]),
  [
    'test/http/serving/host-routing.http-spec.ts',
    'Host header › the Host header "a.a.a.',
    'Caddy forwards a Host twice, and both together exceed the maximum size of a head: 431',
  ],
  [
    'test/http/serving/host-routing.http-spec.ts',
    'Host header › the Host header "" returns',
    'Caddy replaces an empty Host with the address of the process',
  ],
  ...[
    'http://otter.localhost/ with the Host localhost ',
    'http://localhost/v1/limits with the Host otter.localhost ',
    'http://localhost:1/',
    'http://localhost@evil.example/',
    'http://evil.example/ with the Host localhost ',
    'ftp:',
  ].map((sent) => [
    'test/http/serving/host-routing.http-spec.ts',
    `A request target in absolute form (RFC 9112 section 3.2.2) › a request for ${sent}`,
    WHOLE,
  ]),
  [
    'test/http/serving/host-routing.http-spec.ts',
    'A WebSocket request to a path without WebSockets › the connection is closed',
    'the connection belongs to Caddy',
  ],
  [
    'test/http/serving/host-routing.http-spec.ts',
    'A WebSocket request to a path without WebSockets › no socket',
    'the test counts the sockets of one process',
  ],
  [
    'test/http/service/about.http-spec.ts',
    'The service’s descriptions of itself › the service reports that it is healthy',
    'a fleet also reports its Redis',
  ],
  [
    'test/http/service/about.http-spec.ts',
    'The service’s descriptions of itself › a missing path returns 404',
    ADDRESS,
  ],
  ...[
    'The API › security headers are sent for a path that can’t be decoded',
    'A site under the service’s address › security headers are sent for a path that can’t be decoded',
    'A site at its own host › security headers are sent for a path that can’t be decoded',
    'A site as a preview at its own host › security headers are sent for a path that can’t be decoded',
    'A site as a preview under the service’s address › security headers are sent for a path that can’t be decoded',
  ].map((name) => ['test/http/serving/header-sets.http-spec.ts', name, ADDRESS]),
  ...[
    'bytes that are not HTTP',
    'a header with a NUL',
    'oversized headers',
    'a missing Host',
    'two Host headers',
    'an invalid Host',
    'a CONNECT request',
    'an unknown expectation',
    'a WebSocket request to a path without WebSockets',
  ].map((what) => [
    'test/http/serving/header-sets.http-spec.ts',
    `The API › for ${what}, security headers are sent`,
    PARSER,
  ]),
  [
    'test/http/deploying/idempotency.http-spec.ts',
    'Retries with the same Idempotency-Key › a retry finds the finished deploy if the service was killed',
    'only a single process knows at its start that no other process is still responding; with several processes, the lease of 60 s has to expire first (decision 0044)',
  ],
  ['test/http/people/leaks.http-spec.ts', 'Secrets handed out to a user › the leak detector finds a secret', EMBEDDED],
  [
    'test/http/serving/serving.http-spec.ts',
    'A published site › under the service’s address, even a path that can’t be decoded is sandboxed',
    ADDRESS,
  ],
  [
    'test/http/serving/fast-path.http-spec.ts',
    '',
    'the test compares two request readers of one process byte by byte, without Caddy in between',
  ],
  [
    'test/http/sites/rename.http-spec.ts',
    'Renaming a site › an older address never redirects to another host: /\\evil',
    'Caddy forwards a backslash as %5C',
  ],
];

/** Tests that cannot use the shared fleet, because they count all data or restart with other settings. */
const ownFleets = ['history/audit', 'people/erase', 'sharing/members', 'sites/secrets', 'people/sign-in'].map(
  (name) => `test/http/${name}.http-spec.ts`,
);

export const reasonToLeaveOut = (file, name) =>
  table.find(([inFile, beginning]) => file === inFile && name.startsWith(beginning))?.[2];

export const wantsItsOwn = (file) => ownFleets.includes(file);
