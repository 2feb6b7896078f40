import type { Asked } from '../people/sign-in.js';

type Person = { readonly bearer: Readonly<Record<string, string>> };

const PAGE = [{ path: 'index.html', content: '<!doctype html><title>Page</title><h1>Page</h1>' }];

/** A site of that person's whose connector is switched on, and a token for its agents. */
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
    /** As its owner. */
    invoke: (input: unknown, more: object = {}) =>
      api
        .post(`${path}/connector/invoke`)
        .set(bearer)
        .send({ input, ...more }),
  };
}
