import type { FastifyInstance, FastifyRequest } from 'fastify';

type Known = { readonly pattern: RegExp; readonly methods: Set<string> };

const routes = new WeakMap<object, Map<string, Known>>();

/** Remembers every route as it is declared, so that a known path with another method is a 405, not a 404. */
export function rememberRoutes(instance: FastifyInstance) {
  const known = new Map<string, Known>();
  routes.set(instance.server, known);
  instance.addHook('onRoute', ({ url, method, config }) => {
    if (url.includes('*') || isHidden(config)) return;
    const entry = known.get(url) ?? { pattern: patternOf(url), methods: new Set<string>() };
    for (const each of [method].flat()) entry.methods.add(each);
    known.set(url, entry);
  });
}

/** Routes that only some may know of (`@RouteConfig({ hidden: true })`) are not given away by other methods. */
const isHidden = (config: unknown) =>
  typeof config === 'object' && config !== null && 'hidden' in config && config.hidden === true;

/** The methods that this request's path takes, OPTIONS included, sorted; empty for a path that is not known. */
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
