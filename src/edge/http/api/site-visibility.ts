import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ServingStatus } from '../../../kernel/ports/serving-status.js';
import { readCaller } from '../auth/context.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The requested slug if its site is hidden from the caller, otherwise null. */
    hiddenSlug: string | null;
  }
}

const NO_SITE = '-';

/**
 * Makes a site that is not public look like a missing one to callers without a role (docs/interface/sites.md,
 * "Visibility"). The response and its timing are the same on every site route, and `ProblemFilter` replaces any other
 * refusal with `site_not_found`. A change of visibility that this process has not yet seen is enforced by the rules,
 * which read the event log.
 */
export function hideInvisibleSites(instance: FastifyInstance, servingStatus: ServingStatus) {
  instance.decorateRequest('hiddenSlug', null);
  instance.addHook('onRequest', async (request) => {
    const named = namesIn(request);
    const slug = named?.slug;
    if (!named || typeof slug !== 'string' || !servingStatus.hides(slug, readCaller(request))) return;
    // Before hiding the site, wait for the position in the request: another process may have just made the caller a
    // member.
    await servingStatus.reached(positionIn(request));
    if (!servingStatus.hides(slug, readCaller(request))) return;
    request.hiddenSlug = slug;
    named.slug = NO_SITE;
  });
}

/** Returns the requested slug, even if its site is missing or hidden, or null if the request has no slug. */
export function readSlug({ hiddenSlug, params, query, body }: FastifyRequest): string | null {
  const slugs = [params, query, body].map((named) => (named as { slug?: unknown } | null | undefined)?.slug);
  return hiddenSlug ?? slugs.find((slug) => typeof slug === 'string') ?? null;
}

function namesIn({ method, params, query, routeOptions: { url } }: FastifyRequest): { slug?: unknown } | null {
  if (url?.startsWith('/v1/sites/:slug') || url?.startsWith('/sites/:slug')) return params as { slug?: unknown };
  // Leave out POST requests: if the slug of a POST belongs to another site, every caller gets the same refusal.
  return url === '/v1/deploy' && method === 'PATCH' ? (query as { slug?: unknown }) : null;
}

function positionIn({ headers }: FastifyRequest): bigint {
  const seen = headers['stele-position'];
  return typeof seen === 'string' && /^\d{1,18}$/.test(seen) ? BigInt(seen) : 0n;
}
