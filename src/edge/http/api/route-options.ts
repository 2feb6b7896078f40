import { applyDecorators } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { Rate } from '../limits/rates.js';
import { attachTrait } from './description/api-extension.js';

/** Options of a route for the hooks that all routes share. Every option is off by default. */
export type RouteOptions = {
  /** The route's rate limit, which is checked before the body is read. Requests over the limit get 429. */
  readonly rate?: Rate;
  /**
   * The route must not be known to all callers. It is left out of `allow` and OPTIONS, and another method on its path
   * gets 404 instead of 405. The handler itself refuses unauthorized callers with `not_found`.
   */
  readonly hidden?: true;
  /**
   * Accepts the operator’s bearer token (`STELE_ADMIN_TOKEN`), which all other routes refuse. The handler checks it.
   */
  readonly operator?: true;
  /** For the agents of connectors. The bearer is a connector token; session and edit tokens are not read. */
  readonly agent?: true;
  /**
   * For connected apps that act on behalf of a user. The bearer is the token of a grant, which the handler checks.
   * Session and edit tokens are not read.
   */
  readonly grants?: true;
  /**
   * Which access tokens a route for signed-in users accepts instead of a session: `any`, or only those that cover all
   * of the user’s sites. By default, it refuses access tokens.
   */
  readonly tokens?: 'any' | 'of-person';
  /**
   * The route is on the hosts of sites, not on the service’s own host. The service's credentials are not read there.
   */
  readonly siteHost?: true;
  /**
   * The response is the same for everyone and must be available even if callers cannot be authenticated. Cookies are
   * not read, and a credential is ignored if it cannot be looked up.
   */
  readonly sameForAll?: true;
  /** `streamed`: the handler reads the raw body and limits its size itself. */
  readonly body?: 'streamed';
  /** Maximum size of a JSON or form body in bytes; 65,536 by default. A larger body gets 413. */
  readonly jsonBytes?: number;
  /** Maximum number of object members and array items in a JSON body; 1,000 by default. More get 400. */
  readonly jsonValues?: number;
  /**
   * Our own pages submit forms to this route: besides JSON, it accepts `application/x-www-form-urlencoded`. `text`: the
   * handler gets the form unparsed, because it must detect repeated fields.
   */
  readonly form?: true | 'text';
  /**
   * The response is one of our own pages. Its headers allow our styles, scripts and forms, and no other origin. `live`:
   * its script may also call the API (`/v1/`).
   */
  readonly page?: true | 'live';
  /**
   * Users open this route in a browser: refusals are shown as a page if the request accepts HTML, otherwise as JSON.
   */
  readonly problemPages?: true;
  /** Text for the problem page of an expired link that explains how to get a new one. Requires `problemPages`. */
  readonly anotherLink?: string;
};

declare module 'fastify' {
  interface FastifyContextConfig extends RouteOptions {}
}

/** Sets the options of a route. Unknown or misspelled options cause a compiler error. */
export const Route = (options: RouteOptions) => applyDecorators(RouteConfig(options), attachTrait('x-route', options));

/**
 * Returns the options of the route that a request matched (`request.routeOptions`), or of a route that is being
 * declared.
 */
export const readRouteOptions = ({ config = {} }: { readonly config?: RouteOptions }): RouteOptions => config;
