import type { FastifyInstance, FastifyRequest } from 'fastify';
import { optionsOf } from './route-options.js';

type KnownRoute = { readonly pattern: RegExp; readonly parameters: number; readonly methods: Set<string> };

const routes = new WeakMap<object, Map<string, KnownRoute>>();

/** Records every route as it is declared, so that a known path with another method is answered with 405, not 404. */
export function rememberRoutes(instance: FastifyInstance) {
  const known = new Map<string, KnownRoute>();
  routes.set(instance.server, known);
  instance.addHook('onRoute', (route) => {
    const { url, method } = route;
    // A hidden route is not given away by other methods on its path.
    if (url.includes('*') || optionsOf(route).hidden) return;
    const entry = known.get(url) ?? {
      pattern: patternOf(url),
      parameters: url.split(':').length - 1,
      methods: new Set<string>(),
    };
    for (const each of [method].flat()) entry.methods.add(each);
    known.set(url, entry);
  });
}

/** The methods that the path of a request allows, OPTIONS included, sorted; empty for an unknown path. */
export function allowedMethods(request: FastifyRequest): string[] {
  const path = request.url.split('?', 1)[0] ?? '/';
  const matching = [...(routes.get(request.server.server)?.values() ?? [])].filter(({ pattern }) => pattern.test(path));
  // `…/domains/access` is no `…/domains/:hostname`.
  const fewest = matching.reduce((least, { parameters }) => Math.min(least, parameters), Number.POSITIVE_INFINITY);
  const meant = matching.filter(({ parameters }) => parameters === fewest);
  const methods = new Set(meant.flatMap(({ methods }) => [...methods]));
  return methods.size === 0 ? [] : [...methods, 'OPTIONS'].sort();
}

const patternOf = (url: string) =>
  new RegExp(`^${url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:[A-Za-z]+/g, '[^/]+')}/?$`);
