import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ServingStatus } from '../../../kernel/ports/serving-status.js';
import { callerOf } from '../auth/context.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The slug that the request names, if its site is hidden from the caller; else null. */
    hiddenSlug: string | null;
  }
}

/** No site has this slug, and none can. */
const NO_SITE = '-';

/**
 * Makes a site that is not public look like a missing one to a caller without a role on it (docs/interface/sites.md,
 * "Visibility"). Such a request takes the same path as one for a missing site, so that it takes as long and gets the
 * same answer, on every route of sites, future ones too. Any other refusal of it becomes `site_not_found`
 * (`ProblemFilter`). Rules decide the same from the log, where this process has not seen a change yet.
 */
export function hideInvisibleSites(instance: FastifyInstance, servingStatus: ServingStatus) {
  instance.decorateRequest('hiddenSlug', null);
  instance.addHook('onRequest', async (request) => {
    const named = namesIn(request);
    const slug = named?.slug;
    if (!named || typeof slug !== 'string' || !servingStatus.hides(slug, callerOf(request))) return;
    // A caller who became a member on another process sends the position of that write.
    await servingStatus.reached(positionIn(request));
    if (!servingStatus.hides(slug, callerOf(request))) return;
    request.hiddenSlug = slug;
    named.slug = NO_SITE;
  });
}

/** The slug that a request names, whether its site is missing or hidden; null if it names none. */
export function slugIn(request: FastifyRequest): string | null {
  const slug = request.hiddenSlug ?? namesIn(request)?.slug;
  return typeof slug === 'string' ? slug : null;
}

/** The object that holds the slug of the site that a request names; null if it names none. */
function namesIn({ method, params, query, routeOptions: { url } }: FastifyRequest): { slug?: unknown } | null {
  if (url?.startsWith('/v1/sites/:slug') || url?.startsWith('/sites/:slug')) return params as { slug?: unknown };
  // A POST with the slug of another site is refused as taken, to every caller.
  return url === '/v1/deploy' && method === 'PATCH' ? (query as { slug?: unknown }) : null;
}

function positionIn({ headers }: FastifyRequest): bigint {
  const seen = headers['stele-position'];
  return typeof seen === 'string' && /^\d{1,18}$/.test(seen) ? BigInt(seen) : 0n;
}
