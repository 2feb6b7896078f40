import type { FastifyRequest } from 'fastify';

/** Whether a request only looks: HEAD, or what browsers and mail programs fetch before a person clicks. */
export function isPrefetch({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  return method === 'HEAD' || headers['sec-purpose'] !== undefined || headers.purpose === 'prefetch';
}
