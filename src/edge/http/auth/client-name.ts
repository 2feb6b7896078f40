import type { FastifyRequest } from 'fastify';

/** Returns up to 200 printable ASCII characters of the `User-Agent`, or null if the request has none. */
export function readClientName({ headers }: Pick<FastifyRequest, 'headers'>): string | null {
  const agent = headers['user-agent']?.replace(/[^\x20-\x7e]/g, '').trim();
  return agent ? agent.slice(0, 200) : null;
}
