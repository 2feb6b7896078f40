import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../../kernel/refusal.js';
import { readPath } from '../problems/send-problem.js';
import { readRouteOptions } from './route-options.js';

type KnownRoute = { readonly pattern: RegExp; readonly parameters: number; readonly methods: Set<string> };

const routes = new WeakMap<object, Map<string, KnownRoute>>();

/** Records every declared route, so that a known path with the wrong method gets 405 instead of 404. */
export function rememberRoutes(instance: FastifyInstance) {
  const known = new Map<string, KnownRoute>();
  routes.set(instance.server, known);
  instance.addHook('onRoute', (route) => {
    const { url, method } = route;
    // Don't let the list of methods reveal a hidden route.
    if ((url.includes('*') && !url.startsWith('/v1/')) || readRouteOptions(route).hidden) return;
    const entry = known.get(url) ?? {
      pattern: patternOf(url),
      parameters: url.split(':').length - 1,
      methods: new Set<string>(),
    };
    for (const each of [method].flat()) entry.methods.add(each);
    known.set(url, entry);
  });
}

/**
 * Reports whether a more specific route matches the path but does not support this method. For example, if `POST
 * …/domains/access` is declared, `DELETE …/domains/access` must not match `DELETE …/domains/:hostname`.
 */
export function isOfAnotherRoute(request: FastifyRequest): boolean {
  const { url = '' } = request.routeOptions;
  if (!url.includes(':')) return false;
  const rivals = rivalsOf(url, request.server.server);
  if (rivals.length === 0) return false;
  const path = request.url.split('?', 1)[0] ?? '/';
  return rivals.some(({ pattern }) => pattern.test(path));
}

const rivals = new WeakMap<object, Map<string, readonly KnownRoute[]>>();

/** Returns the more specific routes (those with fewer parameters) that could match the same path. */
function rivalsOf(url: string, server: object): readonly KnownRoute[] {
  const found = rivals.get(server) ?? new Map<string, readonly KnownRoute[]>();
  rivals.set(server, found);
  const parameters = url.split(':').length - 1;
  const all =
    found.get(url) ??
    [...(routes.get(server) ?? [])].flatMap(([other, route]) =>
      route.parameters < parameters && canOverlap(other, url) ? [route] : [],
    );
  found.set(url, all);
  return all;
}

function canOverlap(one: string, other: string): boolean {
  const words = one.split('/');
  const others = other.split('/');
  return (
    words.length === others.length &&
    words.every((word, n) => word === others[n] || word.includes(':') || others[n]?.includes(':'))
  );
}

/**
 * Returns OPTIONS and the methods of all routes that match the path, in sorted order. Returns an empty list for an
 * unknown path.
 */
export function allowedMethods(request: FastifyRequest): string[] {
  const path = request.url.split('?', 1)[0] ?? '/';
  const matching = [...(routes.get(request.server.server)?.values() ?? [])].filter(({ pattern }) => pattern.test(path));
  // Keep only the routes with the most specific pattern. Otherwise, the path `…/domains/access` would also get the
  // methods of `…/domains/:hostname`.
  const fewest = matching.reduce((least, { parameters }) => Math.min(least, parameters), Number.POSITIVE_INFINITY);
  const meant = matching.filter(({ parameters }) => parameters === fewest);
  const methods = new Set(meant.flatMap(({ methods }) => [...methods]));
  return methods.size === 0 ? [] : [...methods, 'OPTIONS'].sort();
}

/** Returns a refusal with 405 if the path supports other methods, otherwise with 404. */
export function unknownRoute(request: FastifyRequest, reply: FastifyReply): Refusal {
  if (request.url === '*') return new Refusal('invalid_request', 'Only OPTIONS requests can use “*” as their URL.');
  const allowed = allowedMethods(request);
  if (allowed.length === 0) return unknownPath(readPath(request));
  void reply.header('allow', allowed.join(', '));
  return new Refusal(
    'method_not_allowed',
    `${readPath(request)} supports ${allowed.join(', ')}, but not ${request.method}.`,
  );
}

export const unknownPath = (path: string) =>
  new Refusal('not_found', `There is nothing at ${path}.`, [], {
    suggestion: 'See /openapi.json and /llms.txt for this service’s URLs.',
  });

const patternOf = (url: string) =>
  new RegExp(
    `^${url
      .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replace(/:\w+/g, '[^/]+')
      .replace(/\\\*$/, '.+')}/?$`,
  );
