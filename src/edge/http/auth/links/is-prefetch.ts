import type { FastifyRequest } from 'fastify';

/** Reports whether a request only prefetches the page. This includes HEAD requests. */
export function isPrefetch({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  return method === 'HEAD' || headers['sec-purpose'] !== undefined || headers.purpose === 'prefetch';
}
