import type { FastifyReply } from 'fastify';

/** Aborts when the client has gone before it was answered. */
export function whenGone({ raw }: FastifyReply): AbortSignal {
  const going = new AbortController();
  if (raw.destroyed) going.abort();
  raw.once('close', () => {
    if (!raw.writableFinished) going.abort();
  });
  return going.signal;
}
