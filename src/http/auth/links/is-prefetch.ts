import type { FastifyRequest } from 'fastify';

/** HEAD, and what browsers and mail programs fetch before anybody clicks. */
export function onlyLooks({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  return method === 'HEAD' || headers['sec-purpose'] !== undefined || headers.purpose === 'prefetch';
}
