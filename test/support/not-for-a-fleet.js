const PARSER = 'Caddy reads these bytes first, and refuses them in its own words';

/** What is said of one process alone, by file and by the beginning of its name, with the reason. */
const table = [
  ['test/http/story.http-spec.ts', '', 'it is about npm start and what one process prints'],
  ['test/http/kurrent.http-spec.ts', '', 'it chooses the store of one process and ends it'],
  ['test/http/about-metrics.http-spec.ts', '', 'each process tells of itself, and Caddy is the one who asks'],
  ['test/http/edge.http-spec.ts', 'Whatever is sent', PARSER],
  ['test/http/edge.http-spec.ts', 'OPTIONS › of the server as a whole', 'Caddy answers OPTIONS * itself'],
  ['test/http/edge.http-spec.ts', 'An answer that comes before the end of the request', 'Caddy does not read on'],
  ['test/http/front-door.http-spec.ts', 'A request hidden in another one', PARSER],
  ['test/http/front-door.http-spec.ts', 'A WebSocket where none is taken › leaves no socket', 'it counts sockets of a process'],
];

/** Why a test is not run against a fleet, or undefined. */
export const reasonToLeaveOut = (file, name) =>
  table.find(([inFile, beginning]) => file === inFile && name.startsWith(beginning))?.[2];
