const PARSER = 'Caddy reads these bytes first, and refuses them in its own words or makes them good';
const EMBEDDED = 'it looks at the embedded PostgreSQL as files, which is for one process';
const PROGRAM = 'it is about one process: how it starts, which store it has, what it prints';
const HEAD = 'Caddy hands a head on, and its answer back, only while more of the body comes';
const WHOLE = 'Caddy goes by the whole address alone (RFC 9112 section 3.2.2), and sends on a path with its host';
const ADDRESS = 'Caddy refuses an address that cannot be decoded itself, in its own words';

const TOLD =
  'what one process was told is on the pages of others within ten seconds; test/fleet/status has several that try';

const TWO = 'it has two processes in either run, and two fleets at once say no more';

const SUITE = 'what the suite expects of any server stands beside the tools of one process';

/** Tests that apply only to a single process: file, beginning of the title, reason. */
const table = [
  ['test/http/deploying/story.http-spec.ts', '', PROGRAM],
  ...['programs', 'hostile-programs', 'program-access', 'program-web-sockets'].map((name) => [
    `test/http/programs/${name}.http-spec.ts`,
    '',
    'the programs are known to one process, which the test starts its own way',
  ]),
  ['test/http/agents/conformance.http-spec.ts', '', SUITE],
  ['test/http/connector/eager-agents.http-spec.ts', '', 'work is kept for an agent by the process that it always asks'],
  ['test/http/service/kurrent.http-spec.ts', '', PROGRAM],
  [
    'test/http/service/about-metrics.http-spec.ts',
    '',
    'each process counts requests on its own, and Caddy is not whom metrics are for',
  ],
  [
    'test/http/history/audit.http-spec.ts',
    'The audit trail of a site › signing keys › the operator can rotate',
    'the command that it runs is given the embedded database',
  ],
  [
    'test/http/service/http-protocol.http-spec.ts',
    'Requests from a page of another origin › every response is readable',
    'it asks for an address that Caddy refuses itself, in its own words',
  ],
  ['test/http/traffic/recording.http-spec.ts', 'Recording requests to a site › each request is recorded once', ADDRESS],
  ['test/http/traffic/recording.http-spec.ts', 'Recording requests to a site › whatever was sent', PARSER],
  [
    'test/http/traffic/recording.http-spec.ts',
    'Recording requests to a site › if a visitor disconnects early',
    'Caddy takes an answer faster than its visitor does',
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
    'POST /v1/cli/preflight › with an invalid body › an oversized body',
    HEAD,
  ],
  ['test/http/service/http-protocol.http-spec.ts', 'Malformed input', PARSER],
  ['test/http/service/http-protocol.http-spec.ts', 'OPTIONS › OPTIONS *', 'Caddy answers OPTIONS * itself'],
  [
    'test/http/service/http-protocol.http-spec.ts',
    'A response sent before the request has ended',
    'Caddy hands the answer on and closes half a second later, whatever is still being sent',
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
    `Host header › the value "${host}`,
    'Caddy refuses such a Host itself, with 400 and in its own words',
  ]),
  [
    'test/http/serving/host-routing.http-spec.ts',
    'Host header › the value "a.a.a.',
    'Caddy tells a Host twice, and both together are more than a head may be: 431',
  ],
  [
    'test/http/serving/host-routing.http-spec.ts',
    'Host header › the value "" returns',
    'Caddy puts the address of the process that it asks in the place of an empty Host',
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
    'the connection is Caddy’s',
  ],
  [
    'test/http/serving/host-routing.http-spec.ts',
    'A WebSocket request to a path without WebSockets › no socket',
    'it counts one process’s',
  ],
  [
    'test/http/service/about.http-spec.ts',
    'The service’s descriptions of itself › the service reports that it is healthy',
    'a fleet tells of its Redis too',
  ],
  [
    'test/http/service/about.http-spec.ts',
    'The service’s descriptions of itself › a missing path returns 404',
    ADDRESS,
  ],
  ...[
    'The API › security headers are sent for a path that can’t be decoded',
    'Under the service’s address, a site › security headers are sent for a path that can’t be decoded',
    'At its own host, a site › security headers are sent for a path that can’t be decoded',
    'As a preview at its own host, a site › security headers are sent for a path that can’t be decoded',
    'As a preview under the service’s address, a site › security headers are sent for a path that can’t be decoded',
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
    'one process alone knows at its start that nobody answers; among several the lease of 60 s has to end (decision 0044)',
  ],
  ['test/http/people/leaks.http-spec.ts', 'Secrets handed out to a user › the detector finds a secret', EMBEDDED],
  [
    'test/http/serving/serving.http-spec.ts',
    'A published site › under the service’s address, even a path that can’t be decoded is sandboxed',
    ADDRESS,
  ],
  [
    'test/http/serving/fast-path.http-spec.ts',
    '',
    'it compares two readers of requests in one process, byte by byte, on connections that are theirs and not Caddy’s',
  ],
  [
    'test/http/sites/rename.http-spec.ts',
    'Renaming a site › an older address never redirects to another host: /\\evil',
    'Caddy hands on a backslash as %5C',
  ],
];

/** Tests that count all data or restart with other settings, and therefore do not use the shared fleet. */
const ownFleets = ['history/audit', 'people/erase', 'sharing/members', 'sites/secrets', 'people/sign-in'].map(
  (name) => `test/http/${name}.http-spec.ts`,
);

export const reasonToLeaveOut = (file, name) =>
  table.find(([inFile, beginning]) => file === inFile && name.startsWith(beginning))?.[2];

export const wantsItsOwn = (file) => ownFleets.includes(file);
