// Measures the maximum cost of one request: every route of /openapi.json, and the URLs of sites, with the worst values
// of each input. Prints the longest blocking of the event loop and the memory retained per request. Exits with an error
// if a target is missed.
import { connect } from 'node:net';
import { signInLink } from '../outbox.ts';
import { inTinyChunks, worstDeploys } from './bodies.ts';
import { worstInvocations } from './invocations.ts';
import { worstMessages } from './messages.ts';
import { BODY_SIZES, bodyOf, callerHeaders, type OpenApi, type Route, routesOf, worstRequests } from './routes.ts';
import { type Actor, type Request, startService, type WorstCase } from './service.ts';
import { heavySite, worstVisits } from './serving.ts';

/** Target: maximum CPU time for which one request may block the event loop, in milliseconds. */
const MOST_HOLD_MS = 25;

/** Target: maximum memory retained per request, in bytes. Smaller values are noise. */
const MOST_KEPT = 400;

/**
 * Maximum number of tries per request. The shortest one counts, because garbage collection delays some. A try shorter
 * than `SHORT_MS` is the last one.
 */
const TRIES = 4;
const SHORT_MS = 10;
/** Number of requests for measuring the memory of a route. The same number of requests first fills bounded caches. */
const MEMORY_REQUESTS = Number(process.env.STELE_BENCH_REQUESTS ?? 600);

/** Connectors refuse invocations if no agent has polled for a minute. */
const POLL_EVERY_MS = 5_000;

/** A user who sends requests, one of the user's deploys, and work that an agent of the user's site has leased. */
type Visitable = Actor & { deployId: string; workId: string };

const only = process.argv[2] ?? '';

const service = await startService();
const jsonOf = ({ body }: { body: Buffer }) => JSON.parse(body.toString());
let people = 0;

async function actors(): Promise<Visitable> {
  const email = `p${++people}@example.org`;
  const json = { 'content-type': 'application/json' };
  const post = (path: string, value: object, headers: Record<string, string> = {}) =>
    service.send({ method: 'POST', path, headers: { ...json, ...headers }, body: Buffer.from(JSON.stringify(value)) });
  await post('/v1/auth/start', { email });
  const { pathname, search } = signInLink(jsonOf(await service.send({ path: '/dev/outbox.json' })), email);
  const { token } = jsonOf(await service.send({ path: pathname + search }));
  const headers = { authorization: `Bearer ${token}` };
  const { slug, deployId } = jsonOf(await post('/v1/deploy', heavySite, headers));
  await post(`/v1/sites/${slug}/capabilities`, { name: 'connector', enabled: true }, headers);
  const issued = jsonOf(await post(`/v1/sites/${slug}/connector/tokens`, { name: 'agent' }, headers));
  const agent = { authorization: `Bearer ${issued.token}` };
  await poll(agent);
  const work = await post(`/v1/sites/${slug}/connector/invoke`, { input: 1, wait: 0 }, headers);
  if (work.status !== 202) throw new Error(`The connector returned ${work.status}: ${work.body}`);
  await poll(agent);
  return { headers, slug, deployId, agent, workId: jsonOf(work).id };
}

let polledAt = 0;

async function poll(headers: Record<string, string>): Promise<void> {
  await service.send({ path: '/v1/connector/poll?wait=0', headers });
  polledAt = performance.now();
}

const missed: string[] = [];

/**
 * Sends a request several times, and returns the shortest time for which it blocked the event loop, in milliseconds.
 * Calls `renew` after each success, because a request may have removed what it needs.
 */
async function holdOf(request: () => Request, renew: () => Promise<void>) {
  let shortest = Infinity;
  let status = 0;
  for (let n = 0; n < TRIES && shortest > SHORT_MS; n++) {
    await service.ask('begin');
    ({ status } = await service.send(request()));
    // Waits, because the service may still be working on a request after its response.
    await new Promise((resolve) => setTimeout(resolve, 2));
    shortest = Math.min(shortest, await service.askNumber('hold'));
    if (!service.isAlive()) throw new Error(`The service exited.\n${service.printed()}`);
    if (status < 300) await renew();
  }
  return { hold: shortest, status };
}

/**
 * Measures the requests that `make` creates for a user. `isEnding` means that a successful request ends something that
 * later requests need, such as a session. A new user is then created after each success.
 */
async function measure(name: string, make: (who: Visitable) => Iterable<WorstCase>, isEnding = false): Promise<void> {
  if (!name.includes(only)) return;
  let requests: WorstCase[] = [];
  let agent: Record<string, string> = {};
  const renew = async () => {
    const who = await actors();
    agent = who.agent;
    requests = [...make(who)];
  };
  await renew();
  let worst = { hold: 0, what: '', status: 0 };
  for (const [n, { what }] of requests.entries()) {
    if (performance.now() - polledAt > POLL_EVERY_MS) await poll(agent);
    const { hold, status } = await holdOf(() => requests[n]!.request, isEnding ? renew : async () => {});
    if (hold > worst.hold) worst = { hold, what, status };
    if (status >= 500 && status !== 503) missed.push(`${name}, ${what}: returned ${status}`);
    if (hold > MOST_HOLD_MS) missed.push(`${name}, ${what}: ${hold.toFixed(1)} ms`);
  }
  const kept = await keptOf(requests);
  if (kept > MOST_KEPT) missed.push(`${name}: ${kept.toFixed(0)} bytes retained per request`);
  console.log(
    `${name.padEnd(52)} ${worst.hold.toFixed(1).padStart(7)} ms  ${kept.toFixed(0).padStart(7)} B  ${requests.length} inputs; ${worst.what} (${worst.status})`,
  );
}

/**
 * Returns the memory retained per request, in bytes. Each request contains a new text, so that no cache already has it.
 */
async function keptOf(requests: readonly WorstCase[]): Promise<number> {
  const small = requests.map(({ request }) => request).filter(({ body }) => (body?.length ?? 0) < 10_000);
  if (small.length === 0) return 0;
  let many = 0;
  const round = async () => {
    for (let n = 0; n < MEMORY_REQUESTS; n++) {
      const { path = '/', ...rest } = small[n % small.length]!;
      const fresh = `u${++many}`;
      const separator = path.includes('?') ? '&' : '?';
      await service.send({ ...rest, path: `${path.slice(0, 14_900)}${separator}${fresh}` });
    }
    return service.askNumber('memory');
  };
  await round();
  let before = await round();
  let kept = Infinity;
  // Repeats the measurement, because memory that is really retained grows in each round.
  for (let n = 0; n < TRIES && kept > MOST_KEPT; n++) {
    const after = await round();
    kept = Math.min(kept, Math.max(0, (after - before) / MEMORY_REQUESTS));
    before = after;
  }
  return kept;
}

const document: OpenApi = jsonOf(await service.send({ path: '/openapi.json' }));
const routes = routesOf(document).filter(({ path }) => path !== '/s/{slug}/' && path !== '/v1/deploy');
console.log(`${routes.length} routes; longest event loop delay and memory retained per request`);

for (const route of routes) {
  const { method, path } = route;
  if (!`${method} ${path}`.includes(only)) continue;
  const bodyBytes = await largestBody(route);
  const isEnding = method === 'DELETE' || /logout|rename|claim/.test(path);
  const make = (who: Visitable) =>
    worstRequests(route, { document, bodyBytes, ...who, headers: callerHeaders(route, who, service.port) });
  await measure(`${method} ${path}`, make, isEnding);
}
await measure('bodies of the connector', (who) => worstInvocations(who, service.port));
await measure('POST and PATCH /v1/deploy', worstDeploys);
await measure('messages to /mcp', worstMessages);
await measure('the addresses of a site', (who) => worstVisits({ ...who, siteDomain: `localhost:${service.port}` }));
await measureTinyChunks();
await service.stop();

/** Returns the size of the largest JSON body that a route reads, in bytes. */
async function largestBody(route: Route): Promise<number> {
  const { method, path } = route;
  if (!['POST', 'PUT', 'PATCH'].includes(method)) return 0;
  const who = await actors();
  for (const bytes of BODY_SIZES) {
    const { status } = await service.send({
      method,
      path: path.replace('{slug}', who.slug).replaceAll(/\{\w+\}/g, 'x'),
      headers: { ...callerHeaders(route, who, service.port), 'content-type': 'application/json' },
      body: bodyOf(bytes),
    });
    if (status !== 413) return bytes;
  }
  return BODY_SIZES.at(-1) ?? 0;
}

async function measureTinyChunks() {
  if (!'chunks'.includes(only)) return;
  await service.ask('begin');
  await new Promise<void>((resolve) => {
    const socket = connect(service.port, '127.0.0.1');
    socket.on('close', () => resolve());
    socket.on('error', () => undefined);
    socket.resume();
    socket.end(inTinyChunks(service.port, 2_000_000));
  });
  const hold = await service.askNumber('hold');
  console.log(`${'a body in chunks of one byte'.padEnd(52)} ${hold.toFixed(1).padStart(7)} ms`);
  if (hold > MOST_HOLD_MS) missed.push(`a body in chunks of one byte: ${hold.toFixed(1)} ms`);
}

console.log(missed.length === 0 ? '\nAll targets are met.' : `\nMissed:\n${missed.join('\n')}`);
process.exitCode = missed.length === 0 ? 0 : 1;
