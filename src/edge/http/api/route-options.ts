import { applyDecorators } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { Rate } from '../limits/rates.js';
import { attachTrait } from './description/api-extension.js';

/** Options of a route for the hooks that all routes share. All options are off by default. */
export type RouteOptions = {
  /** The rate limit, which is checked before the body is read. Requests over the limit get 429. */
  readonly rate?: Rate;
  /**
   * Hides the route's existence: `allow` and OPTIONS omit it, and another method on its path gets 404 instead of 405.
   * The handler refuses unauthorized callers with `not_found`.
   */
  readonly hidden?: true;
  /** Accepts the operator’s bearer token (`STELE_ADMIN_TOKEN`), which the handler checks. */
  readonly operator?: true;
  /** For agents of connectors. The bearer token is a connector token. Session and edit tokens are not read. */
  readonly agent?: true;
  /** For connected apps. The bearer token belongs to a grant, and the handler checks it. Other tokens are not read. */
  readonly grants?: true;
  /** Access tokens that a route for signed-in users accepts: `any`, or only those for all of the user’s sites. */
  readonly tokens?: 'any' | 'of-person';
  /** The route is on the hosts of sites, where the service's credentials are not read. */
  readonly siteHost?: true;
  /**
   * The response is the same for everyone, and must be available even if authentication is not. Cookies are not read.
   * If a credential cannot be looked up, it is ignored.
   */
  readonly sameForAll?: true;
  /** `streamed`: the handler reads the raw body and limits its size. */
  readonly body?: 'streamed';
  /** Maximum size of a JSON or form body in bytes; 65,536 by default. A larger body gets 413. */
  readonly jsonBytes?: number;
  /** Maximum number of members and items in a JSON body; 1,000 by default. A body with more gets 400. */
  readonly jsonValues?: number;
  /**
   * Also accepts `application/x-www-form-urlencoded` from our own pages. `text`: the handler gets the form unparsed,
   * because it must detect repeated fields.
   */
  readonly form?: true | 'text';
  /**
   * One of our own pages. Its headers allow only our styles, scripts and forms. `live`: its script may also call
   * `/v1/`.
   */
  readonly page?: true | 'live';
  /** Shows refusals as a page if the request accepts HTML, otherwise as JSON. */
  readonly problemPages?: true;
  /** Tells users on the problem page of an expired link how to get a new link. Requires `problemPages`. */
  readonly anotherLink?: string;
};

declare module 'fastify' {
  interface FastifyContextConfig extends RouteOptions {}
}

/** Sets the options of a route. Unknown or misspelled options cause a compiler error. */
export const Route = (options: RouteOptions) => applyDecorators(RouteConfig(options), attachTrait('x-route', options));

export const readRouteOptions = ({ config = {} }: { readonly config?: RouteOptions }): RouteOptions => config;
