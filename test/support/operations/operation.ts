import type { Test } from 'supertest';
import type { Verb } from '../faults/points/verb.js';
import type { Stele } from '../service/stele.js';

/**
 * Response statuses by caller: anonymous, signed in without a role, the three roles, and an anonymous site's edit
 * token.
 */
export type Statuses = readonly [
  none: number,
  stranger: number,
  viewer: number,
  editor: number,
  owner: number,
  token: number,
];

export type AskedSite = {
  readonly slug: string;
  readonly deployId: string;
  readonly visibility: 'public' | 'members';
  readonly jobId: string;
  /** A value that is different in each request. */
  readonly once: string;
};

/** A site with several deploys. `deployId` is the ID of the first one. */
export type DeployedSite = AskedSite & { readonly liveDeployId: string };

export type RequestContents<Site> = {
  readonly query?: ((site: Site) => Record<string, string>) | undefined;
  readonly body?: ((site: Site) => string | object) | undefined;
  readonly headers?: Record<string, string>;
};

/**
 * An API operation with what the tests of all operations need: its request, the response status for each role, a
 * request with `If-Match`, and requests during which tests inject failures.
 */
export type Operation = RequestContents<AskedSite> & {
  /** The method and path in `/openapi.json`. */
  readonly operation: string;
  /**
   * For an operation on a site: the response status for each caller. Some requests fail even if the caller's role is
   * sufficient: with 404 for an unknown member, or 412 for a revision that never existed.
   */
  readonly statuses?: Statuses;
  /**
   * Response statuses on a site that is not public. By default, callers without a role get 404, and all others get the
   * same status as on a public site.
   */
  readonly hidden?: Statuses;
  /**
   * For an operation that does not concern a site: the response status for each caller of a request with an empty body.
   */
  readonly callers?: readonly [none: number, signedIn: number];
  /** Why the response statuses of this operation are tested elsewhere. */
  readonly elsewhere?: string;
  /**
   * For an operation that supports `If-Match`: the part of the site that must be unchanged, and the body of a request
   * that changes the site.
   */
  readonly ifMatch?: {
    readonly dependsOn: 'content' | 'presentation' | 'everything';
    readonly body?: (site: DeployedSite) => string | object;
  };
  /**
   * Requests that change something. Tests inject failures into each of their steps. A verb without `ask` sends the
   * request that the other properties of the operation describe.
   */
  readonly verbs?: readonly Verb[];
  /** Why the operation changes nothing, if it has no verbs although its method is not GET. */
  readonly writesNothing?: string;
};

export const READ: Statuses = [401, 403, 200, 200, 200, 200];
export const EDIT: Statuses = [401, 403, 403, 200, 200, 200];
export const OWN: Statuses = [401, 403, 403, 403, 200, 403];
export const owns = (status: number): Statuses => [401, 403, 403, 403, status, 403];
export const OPERATORS: Statuses = [401, 403, 403, 403, 403, 401];
export const everybody = (status: number): Statuses => [status, status, status, status, status, status];

/**
 * Sends an operation's request. Path parameters are taken from `parameters`, or from the properties of the site that
 * have the same names.
 */
export function sendOperation<Site extends AskedSite>(
  api: Stele['api'],
  { operation, query, body, headers = {} }: RequestContents<Site> & Pick<Operation, 'operation'>,
  site: Site,
  by: Readonly<Record<string, string>>,
  parameters: Readonly<Record<string, string>> = {},
): Test {
  const [method = '', path = ''] = operation.split(' ');
  const values: Readonly<Record<string, unknown>> = { name: 'API_KEY', ...site, ...parameters };
  const filled = path.replaceAll(/\{(\w+)\}/g, (parameter, name: string) => String(values[name] ?? parameter));
  const request = api[method.toLowerCase() as 'get'](filled);
  if (query) request.query(query(site));
  return request.set({ ...headers, ...by }).send(body?.(site));
}
