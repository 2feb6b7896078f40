import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ServingStatus } from '../../kernel/ports/serving-status.js';
import { callerOf } from '../auth/context.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The address names a site that the caller is not to know of. */
    namesHiddenSite: boolean;
  }
}

/** No site has this name, and none can. */
const NO_SITE = '-';

/**
 * To whoever has no role on it, the address of a site that is not public is the address of no site (docs/interface.md,
 * "Order of checks"): such a request goes the same way as one for a site that does not exist, takes as long and is
 * answered the same, on every route of sites, also those that are yet to come. Whatever else is wrong with it, the
 * answer is that there is no such site (`ProblemFilter`). Rules say the same from the log, where this process has not
 * heard of a change yet.
 */
export function hideInvisibleSites(instance: FastifyInstance, servingStatus: ServingStatus) {
  instance.decorateRequest('namesHiddenSite', false);
  instance.addHook('onRequest', async (request) => {
    const named = namesIn(request);
    const slug = named?.slug;
    if (!named || typeof slug !== 'string' || !servingStatus.hides(slug, callerOf(request))) return;
    // Somebody who just became a member elsewhere brings the position of it.
    await servingStatus.reached(positionIn(request));
    if (!servingStatus.hides(slug, callerOf(request))) return;
    request.namesHiddenSite = true;
    named.slug = NO_SITE;
  });
}

/** Where the request names a site. */
function namesIn({ method, params, query, routeOptions: { url } }: FastifyRequest): { slug?: unknown } | null {
  if (url?.startsWith('/v1/sites/:slug')) return params as { slug?: unknown };
  // A POST with a slug that is taken says so, whoever has it.
  return url === '/v1/deploy' && method === 'PATCH' ? (query as { slug?: unknown }) : null;
}

function positionIn({ headers }: FastifyRequest): bigint {
  const seen = headers['stele-position'];
  return typeof seen === 'string' && /^\d{1,18}$/.test(seen) ? BigInt(seen) : 0n;
}
