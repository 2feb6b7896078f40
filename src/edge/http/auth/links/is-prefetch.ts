import type { FastifyRequest } from 'fastify';

/** Reports whether a request only prefetches the page, as HEAD requests, browsers and mail clients do. */
export function isPrefetch({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  return method === 'HEAD' || headers['sec-purpose'] !== undefined || headers.purpose === 'prefetch';
}
