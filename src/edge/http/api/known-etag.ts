import type { FastifyRequest } from 'fastify';

/** Maximum number of ETags that are read from an `If-None-Match` header. Further ETags are ignored. */
const MAX_COMPARED = 50;

/** Reports whether `If-None-Match` contains this ETag, using weak comparison (RFC 9110 section 13.1.2). */
export const hasKnownEtag = ({ headers }: FastifyRequest, etag: string): boolean =>
  headers['if-none-match']?.split(',', MAX_COMPARED).some((each) => withoutWeak(each.trim()) === withoutWeak(etag)) ===
  true;

const withoutWeak = (etag: string) => etag.replace(/^W\//, '');
