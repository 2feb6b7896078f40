import type { FastifyRequest } from 'fastify';

/** Reports whether a request only looks at the page, like HEAD requests and prefetches by browsers and mail clients. */
export function isPrefetch({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  return method === 'HEAD' || headers['sec-purpose'] !== undefined || headers.purpose === 'prefetch';
}
