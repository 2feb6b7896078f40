import type { Asked } from '../people/sign-in.js';
import type { ExampleAgent } from './example-agent.js';

type Person = { readonly bearer: Readonly<Record<string, string>> };

const PAGE = [{ path: 'index.html', content: '<!doctype html><title>Page</title><h1>Page</h1>' }];

export async function connectedSite({ api }: Asked, { bearer }: Person, files: readonly object[] = PAGE) {
  const { body } = await api.post('/v1/deploy').set(bearer).send({ files }).expect(200);
  const { slug, url } = body as { slug: string; url: string };
  const path = `/v1/sites/${slug}`;
  await api.post(`${path}/capabilities`).set(bearer).send({ name: 'connector', enabled: true }).expect(200);
  const issued = await api.post(`${path}/connector/tokens`).set(bearer).send({ name: 'an agent' }).expect(201);
  return {
    slug,
    url,
    token: issued.body.token as string,
    invoke: (input: unknown, more: object = {}) =>
      api
        .post(`${path}/connector/invoke`)
        .set(bearer)
        .send({ input, ...more }),
  };
}

/** Waits until the agent has completed a call. Calls are refused with `no_agent` until its first poll has arrived. */
export async function waitForAgent(
  { invoke }: Pick<Awaited<ReturnType<typeof connectedSite>>, 'invoke'>,
  agent: ExampleAgent,
  input: unknown = null,
): Promise<void> {
  for (const end = Date.now() + 20_000; ; ) {
    const { status, body } = await invoke(input, { wait: 5 });
    if (status === 200) return;
    if (Date.now() > end) throw new Error(`${status} ${JSON.stringify(body)}\n${agent.printed()}`);
  }
}
