// An example client with types that openapi-typescript generates from /openapi.json. `node client.ts BASE` publishes,
// watches, rolls back, and prints the results as JSON. `clients.http-spec.ts` compiles it strictly before running it.
import createClient from 'openapi-fetch';
import type { components, paths } from './interface.d.ts';

type SiteEvent = components['schemas']['SiteEvent'];

const client = createClient<paths>({ baseUrl: process.argv[2] ?? 'http://localhost:3000' });

const page = (content: string) => ({ files: [{ path: 'index.html', content }] });

const first = await client.POST('/v1/deploy', { body: page('<h1>One</h1>\n') });
if (!first.data?.editToken) throw new Error(`The first deploy failed: ${first.error?.code}`);
const { slug, editToken, deployId } = first.data;
const header = { 'x-svc-edit-token': editToken };

const watched = await client.GET('/v1/sites/{slug}/events', {
  params: { path: { slug }, header },
  headers: { accept: 'text/event-stream' },
  parseAs: 'stream',
});
if (!watched.data) throw new Error('The site could not be watched.');

const second = await client.PATCH('/v1/deploy', {
  params: { query: { slug, message: 'Two' }, header },
  body: page('<h1>Two</h1>\n'),
});
if (!second.data) throw new Error(`The second deploy failed: ${second.error?.code}`);

const diff = await client.GET('/v1/sites/{slug}/deploys/diff', {
  params: { path: { slug }, query: { from: deployId, to: second.data.deployId, path: 'index.html' }, header },
  parseAs: 'text',
});

const back = await client.POST('/v1/sites/{slug}/rollback', {
  params: { path: { slug }, header },
  body: { deployId },
});
if (!back.data) throw new Error(`The rollback failed: ${back.error?.code}`);

/** Reads events up to the first rollback. */
async function eventsOf(stream: ReadableStream<Uint8Array>): Promise<readonly SiteEvent[]> {
  const seen: SiteEvent[] = [];
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const event = eventIn(text.slice(0, end));
      text = text.slice(end + 2);
      if (event) seen.push(event);
      if (event?.event === 'SiteRolledBack') return seen;
    }
  }
  return seen;
}

function eventIn(frame: string): SiteEvent | null {
  const field = (name: string) =>
    frame
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  const [id, event, data] = [field('id'), field('event'), field('data')];
  if (event === undefined || data === undefined) return null;
  return { id: Number(id), event, data: JSON.parse(data) };
}

const events = await eventsOf(watched.data);
const jobs = await client.GET('/v1/sites/{slug}/jobs', { params: { path: { slug }, header } });
const misspelt = await fetch(`${process.argv[2]}/v1/sites/${slug}?depoyId=1`);
const unknown = await client.POST('/v1/sites/{slug}/rollback', {
  params: { path: { slug }, header },
  body: { deployId: 'dep_unknown' },
});
// The possible codes of each status are typed, so this compiles only if the API description lists them.
const code: 'deploy_not_found' | 'site_not_found' | string | undefined = unknown.error?.code;

console.log(
  JSON.stringify({
    slug,
    deployId: back.data.deployId,
    events: events.map(({ event }) => event),
    diff: diff.data,
    jobs: jobs.data?.total,
    misspelt: misspelt.status,
    code,
  }),
);
process.exit(0);

// Invalid bodies must not compile, even if their members depend on each other.
type BodyOf<Route extends { post: { requestBody: { content: { 'application/json': unknown } } } }> =
  Route['post']['requestBody']['content']['application/json'];
// @ts-expect-error There is no such visibility.
export const seenBy: BodyOf<paths['/v1/sites/{slug}/access']> = { visibility: 'everybody' };
// @ts-expect-error A claim is a text.
export const trusted: BodyOf<paths['/v1/sites/{slug}/publishers']> = { issuer: '', claims: { repository: 74 } };
// @ts-expect-error A domain has no such visibility.
export const shownAt: BodyOf<paths['/v1/sites/{slug}/domains/access']> = { hostname: '', visibility: 'everybody' };
