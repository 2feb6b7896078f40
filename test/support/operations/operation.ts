import type { Test } from 'supertest';
import type { Verb } from '../faults/points/verb.js';
import type { Stele } from '../service/stele.js';

/**
 * Response statuses by caller: anonymous, signed in without a role, the three roles, and the edit token of an anonymous
 * site.
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

/** A site with two or more deploys. `deployId` belongs to the first one. */
export type DeployedSite = AskedSite & { readonly liveDeployId: string };

export type RequestContents<Site> = {
  readonly query?: ((site: Site) => Record<string, string>) | undefined;
  readonly body?: ((site: Site) => string | object) | undefined;
  readonly headers?: Record<string, string>;
};

/**
 * One operation of the API, with everything that the tests of all operations need: its request for each role, the
 * requests for tests in which steps fail, and its request with `If-Match`.
 */
export type Operation = RequestContents<AskedSite> & {
  /** The method and path in `/openapi.json`. */
  readonly operation: string;
  /**
   * For an operation on a site: the status for each caller of a request in which only the caller may be wrong. Callers
   * with a sufficient role may get another refusal: 404 for an unknown member, or 412 for a revision that never existed.
   */
  readonly statuses?: Statuses;
  /**
   * Response statuses for a site that is not public. By default, 404 for callers without a role and unchanged for the
   * others.
   */
  readonly hidden?: Statuses;
  /** For an operation that does not concern a site: the response status of a request without content, by caller. */
  readonly callers?: readonly [none: number, signedIn: number];
  /** Why other tests check the response statuses of this operation. */
  readonly elsewhere?: string;
  /** For an operation that compares `If-Match`: what it depends on, and the body of a request that changes the site. */
  readonly ifMatch?: {
    readonly dependsOn: 'content' | 'presentation' | 'everything';
    readonly body?: (site: DeployedSite) => string | object;
  };
  /**
   * Ways to change something with the operation, each of which is tested while its steps fail. A verb without `ask`
   * sends the request that the other members describe.
   */
  readonly verbs?: readonly Verb[];
  /** For an operation that has no verbs although it is not a GET: the reason why it changes nothing. */
  readonly writesNothing?: string;
};

export const READ: Statuses = [401, 403, 200, 200, 200, 200];
export const EDIT: Statuses = [401, 403, 403, 200, 200, 200];
export const OWN: Statuses = [401, 403, 403, 403, 200, 403];
export const owns = (status: number): Statuses => [401, 403, 403, 403, status, 403];
export const OPERATORS: Statuses = [401, 403, 403, 403, 403, 401];
export const everybody = (status: number): Statuses => [status, status, status, status, status, status];

/** Sends an operation's request. The path's parameters are members of the site, or in `parameters`. */
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
