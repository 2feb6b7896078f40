import { expect } from '@jest/globals';
import { signIn } from '../people/sign-in.js';
import type { Stele } from '../service/stele.js';

export type ConnectorSite = {
  readonly slug: string;
  readonly deployId: string;
  readonly owner: { readonly authorization: string };
  readonly origin: string;
};

export async function connectorSite(stele: Stele, email = 'owner@example.org'): Promise<ConnectorSite> {
  const { token } = await signIn(stele, email);
  const owner = { authorization: `Bearer ${token}` };
  const { body } = await stele.api
    .post('/v1/deploy')
    .set(owner)
    .set('content-type', 'text/html')
    .send('<h1>Hello</h1>')
    .expect(200);
  const { slug, deployId } = body;
  await stele.api
    .post(`/v1/sites/${slug}/capabilities`)
    .set(owner)
    .send({ name: 'connector', enabled: true })
    .expect(200);
  return { slug, deployId, owner, origin: `http://${slug}.localhost:${stele.port}` };
}

/** Calls the agent as a page of the site does. */
export const invoke = (stele: Stele, { slug, origin }: ConnectorSite, body: object) =>
  stele.api.post(`/v1/sites/${slug}/connector/invoke`).set('origin', origin).send(body);

export type TestAgent = {
  readonly tokenId: string;
  readonly token: string;
  readonly bearer: { readonly authorization: string };
  readonly poll: (wait?: number) => ReturnType<Stele['api']['get']>;
  readonly answer: (id: string, body: object) => ReturnType<Stele['api']['post']>;
};

/** Creates an agent with its own token, and polls once, so that the service knows the agent. */
export async function agentOf(stele: Stele, { slug, owner }: ConnectorSite, name = 'agent'): Promise<TestAgent> {
  const { body } = await stele.api.post(`/v1/sites/${slug}/connector/tokens`).set(owner).send({ name }).expect(201);
  const bearer = { authorization: `Bearer ${body.token}` };
  const agent = {
    tokenId: body.id,
    token: body.token,
    bearer,
    poll: (wait = 0) => stele.api.get(`/v1/connector/poll?wait=${wait}`).set(bearer),
    answer: (id: string, sent: object) => stele.api.post(`/v1/connector/result/${id}`).set(bearer).send(sent),
  };
  const { status } = await agent.poll();
  expect([200, 204]).toContain(status);
  return agent;
}
