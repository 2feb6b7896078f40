import type { FastifyRequest } from 'fastify';

/** How a program calls itself, in plain ASCII and 200 characters at most; null when it does not say. */
export function clientOf({ headers }: Pick<FastifyRequest, 'headers'>): string | null {
  const agent = headers['user-agent']?.replace(/[^\x20-\x7e]/g, '').trim();
  return agent ? agent.slice(0, 200) : null;
}
