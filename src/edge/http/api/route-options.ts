import { applyDecorators } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { Rate } from '../limits/rates.js';
import { attachTrait } from './description/api-extension.js';

/** What the hooks shared by all routes need to know about one route. Every option is off by default. */
export type RouteOptions = {
  /** The rate limit of the route, checked before the body is read. If nothing is left, the response is 429. */
  readonly rate?: Rate;
  /**
   * Only some callers may know that the route exists. It is left out of `allow` and OPTIONS, so that another method on
   * its path gets 404 instead of 405. The handler itself refuses all other callers with `not_found`.
   */
  readonly hidden?: true;
  /** The operator’s bearer token (`STELE_ADMIN_TOKEN`) is valid here and refused elsewhere. The handler checks it. */
  readonly operator?: true;
  /** For the agents of connectors: the bearer is a connector token. Session and edit tokens are not read. */
  readonly agent?: true;
  /**
   * For connected apps that act for a person: the bearer is the token of a grant, which the handler checks. Session and
   * edit tokens are not read.
   */
  readonly grants?: true;
  /**
   * On a route for signed-in users, the access tokens that are accepted instead: `any`, or only those for all of the
   * user’s sites. By default, access tokens are refused there.
   */
  readonly tokens?: 'any' | 'of-person';
  /**
   * The route is on the hosts of sites instead of the service’s own host. Credentials of the service are not read
   * there.
   */
  readonly siteHost?: true;
  /**
   * The response is the same for everyone and must be available even if callers cannot be authenticated. Cookies are
   * not read, and a credential that cannot be looked up is ignored.
   */
  readonly sameForAll?: true;
  /** `streamed`: the handler reads the raw body and limits its size itself. */
  readonly body?: 'streamed';
  /** Maximum size of a JSON or form body in bytes; 65,536 by default. A larger body gets 413. */
  readonly jsonBytes?: number;
  /** Maximum number of object members and array items in a JSON body; 1,000 by default. More get 400. */
  readonly jsonValues?: number;
  /**
   * Our own pages submit forms here: besides JSON, the body may be `application/x-www-form-urlencoded`. `text`: the
   * handler gets the form unparsed, because it must detect repeated fields.
   */
  readonly form?: true | 'text';
  /**
   * The response is one of our own pages: its headers allow our styles, scripts and forms, and no other origin. `live`:
   * its script may also call the API (`/v1/`).
   */
  readonly page?: true | 'live';
  /** People open this route in a browser: a refusal is shown as a page if the request accepts HTML, else as JSON. */
  readonly problemPages?: true;
  /** Text on the problem page for an expired link that explains how to get another one. Requires `problemPages`. */
  readonly anotherLink?: string;
};

declare module 'fastify' {
  interface FastifyContextConfig extends RouteOptions {}
}

/** Sets the options of a route. Unknown or misspelled options do not compile. */
export const Route = (options: RouteOptions) => applyDecorators(RouteConfig(options), attachTrait('x-route', options));

/** The options of the route that a request matched (`request.routeOptions`), or of a route that is being declared. */
export const readRouteOptions = ({ config = {} }: { readonly config?: RouteOptions }): RouteOptions => config;
