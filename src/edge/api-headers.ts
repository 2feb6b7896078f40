import type { FastifyRequest } from 'fastify';

/** What an API answer tells browsers (field notes, “Untrusted pages beside an API”). */
const GUARDED = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  // Stops embedding without CORS only: `fetch` of another origin asks for CORS and is not looked at (Fetch standard, 4.8).
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
};

/** The headers of every API answer, whatever its status. */
export const apiHeaders = (request: FastifyRequest, baseUrl: string) => ({
  ...GUARDED,
  'x-request-id': request.id,
  ...(baseUrl.startsWith('https:') && { 'strict-transport-security': 'max-age=31536000' }),
});
