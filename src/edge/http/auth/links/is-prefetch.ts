import type { FastifyRequest } from 'fastify';

/** Whether a request only looks at the page: HEAD, or a prefetch by a browser or mail client. */
export function isPrefetch({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  return method === 'HEAD' || headers['sec-purpose'] !== undefined || headers.purpose === 'prefetch';
}
