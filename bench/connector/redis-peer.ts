// The competitor of the connector in the benchmark, in its own process: `node redis-peer.ts <port of Redis>` prints the
// port of its server. Its three routes use a Redis list: work is pushed to one end and removed from the other by BLPOP,
// and a result is published to the process of the waiting caller. Nothing is recorded, leased, counted or checked.
import { randomUUID } from 'node:crypto';
import { fastify } from 'fastify';
import { Redis } from 'ioredis';

const connect = () => new Redis({ port: Number(process.argv[2]), host: '127.0.0.1' });
const sender = connect();
const heard = connect();
/** Idle Redis connections for polls. Each poll needs its own connection, because BLPOP blocks the connection. */
const idle: Redis[] = [];

const waiting = new Map<string, (output: unknown) => void>();
await heard.subscribe('answers');
heard.on('message', (_, text) => {
  const { id, output } = JSON.parse(text);
  waiting.get(id)?.(output);
  waiting.delete(id);
});

const app = fastify({ keepAliveTimeout: 65_000 });
app.post<{ Body: { input: unknown } }>('/invoke', async ({ body }) => {
  const id = randomUUID();
  const answered = new Promise((resolve) => waiting.set(id, resolve));
  await sender.rpush('work', JSON.stringify({ id, input: body.input }));
  return { id, status: 'succeeded', output: await answered };
});
app.get('/poll', async (_, reply) => {
  const redis = idle.pop() ?? connect();
  const taken = await redis.blpop('work', 25);
  idle.push(redis);
  return taken === null ? reply.status(204).send() : reply.type('application/json').send(taken[1]);
});
app.post<{ Params: { id: string }; Body: { output: unknown } }>('/result/:id', async ({ params, body }) => {
  await sender.publish('answers', JSON.stringify({ id: params.id, output: body.output }));
  return { id: params.id };
});
console.log(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port);
