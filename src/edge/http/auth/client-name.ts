import type { FastifyRequest } from 'fastify';

/** The `User-Agent` of a request in printable ASCII, at most 200 characters; null without one. */
export function readClientName({ headers }: Pick<FastifyRequest, 'headers'>): string | null {
  const agent = headers['user-agent']?.replace(/[^\x20-\x7e]/g, '').trim();
  return agent ? agent.slice(0, 200) : null;
}
