import { applyDecorators } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { Rate } from '../limits/rates.js';
import { tell } from './description/tell.js';

/** What the hooks of all routes need to know of one. Each is off where it is left out. */
export type RouteOptions = {
  /** How often the route may be asked. One of it is taken before the body is read; with none left the answer is 429. */
  readonly rate?: Rate;
  /**
   * Only some callers may know of the route: it is left out of `allow` and OPTIONS, so that another method on its path
   * is 404, not 405. The handler itself answers `not_found` to all other callers.
   */
  readonly hidden?: true;
  /** The operator’s bearer (`STELE_ADMIN_TOKEN`) holds here; on any other route it is refused. The handler asks for it itself. */
  readonly operator?: true;
  /** Agents of connectors call here: the bearer is a connector token, and no session or edit token is read. */
  readonly agent?: true;
  /** Programs that act for people call here: the bearer is the token of a grant, which the handler looks at itself, and no session or edit token is read. */
  readonly grants?: true;
  /**
   * On a route for a person who is signed in: an access token of theirs will do, `any` or only one that is for all of
   * their sites. Left out, a token is refused there.
   */
  readonly tokens?: 'any' | 'of-person';
  /** The route is on the hosts of sites, and not on the service’s own: credentials of the service are not read there. */
  readonly siteHost?: true;
  /**
   * The answer is the same for all, and is to be had while no caller can be recognised: no cookie is read, and a
   * credential that cannot be looked up counts as none.
   */
  readonly sameForAll?: true;
  /** `streamed`: the handler reads the raw body as it arrives; nothing is parsed, and only the handler limits its size. */
  readonly body?: 'streamed';
  /** The most that a JSON or form body may have, in bytes; 65,536 where it is left out. More is 413. */
  readonly jsonBytes?: number;
  /** The maximum number of object members and array items in a JSON body; 1,000 if it is left out. More is 400. */
  readonly jsonValues?: number;
  /**
   * Our own pages post forms here: beside JSON, the fields of `application/x-www-form-urlencoded` are taken as the
   * body. `text`: a form as it came, for a handler that has to see that a field is there twice.
   */
  readonly form?: true | 'text';
  /**
   * The route answers with a page of our own: the headers allow our style, scripts and forms, and no other origin.
   * `live`: its script may also ask the interface (`/v1/`).
   */
  readonly page?: true | 'live';
  /** People’s browsers are sent here: a refusal is shown as a page to those that ask for HTML, else as a problem in JSON. */
  readonly problemPages?: true;
  /** On the problem page for a link that no longer works: a sentence on how to get another. Needs `problemPages`. */
  readonly anotherLink?: string;
};

declare module 'fastify' {
  interface FastifyContextConfig extends RouteOptions {}
}

/** Sets the options of a route. One that does not exist, or is misspelt, does not compile. */
export const Route = (options: RouteOptions) => applyDecorators(RouteConfig(options), tell('x-route', options));

/** The options of the route that a request was matched to (`request.routeOptions`), or of one that is being declared. */
export const optionsOf = ({ config = {} }: { readonly config?: RouteOptions }): RouteOptions => config;
