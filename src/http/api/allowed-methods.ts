import type { FastifyInstance, FastifyRequest } from 'fastify';

type KnownRoute = { readonly pattern: RegExp; readonly methods: Set<string> };

const routes = new WeakMap<object, Map<string, KnownRoute>>();

/** Records every route as it is declared, so that a known path with another method is answered with 405, not 404. */
export function rememberRoutes(instance: FastifyInstance) {
  const known = new Map<string, KnownRoute>();
  routes.set(instance.server, known);
  instance.addHook('onRoute', ({ url, method, config }) => {
    if (url.includes('*') || isHidden(config)) return;
    const entry = known.get(url) ?? { pattern: patternOf(url), methods: new Set<string>() };
    for (const each of [method].flat()) entry.methods.add(each);
    known.set(url, entry);
  });
}

/** Whether a route’s existence is a secret (`@RouteConfig({ hidden: true })`): other methods must not reveal it. */
const isHidden = (config: unknown) =>
  typeof config === 'object' && config !== null && 'hidden' in config && config.hidden === true;

/** The methods that the path of a request allows, OPTIONS included, sorted; empty for an unknown path. */
export function allowedMethods(request: FastifyRequest): string[] {
  const path = request.url.split('?', 1)[0] ?? '/';
  const methods = new Set<string>();
  for (const known of routes.get(request.server.server)?.values() ?? []) {
    if (known.pattern.test(path)) for (const method of known.methods) methods.add(method);
  }
  return methods.size === 0 ? [] : [...methods, 'OPTIONS'].sort();
}

const patternOf = (url: string) =>
  new RegExp(`^${url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:[A-Za-z]+/g, '[^/]+')}/?$`);
