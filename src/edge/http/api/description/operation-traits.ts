import type { RefusalCode } from '../../../../kernel/refusal.js';
import type { RouteOptions } from '../route-options.js';
import type { DescribedEvents, DescribedLines } from './api-events.js';
import type { OperationLink } from './api-links.js';

/**
 * The credentials that an operation needs. `anybody`: none, but a credential is used if it is sent. `session`: a
 * session or an access token. An edit token is not enough, because it does not give the rights of an owner: a site with
 * an edit token has no owner. `upload`: an upload token.
 */
export type Access = 'anybody' | 'credential' | 'session' | 'upload';

/** Route metadata from which `/openapi.json` is built. The metadata itself does not appear in that document. */
export type OperationTraits = {
  readonly 'x-route': RouteOptions;
  readonly 'x-takes-caller': true;
  readonly 'x-takes-session': true;
  /**
   * Describes the changes that make a request with an older `If-Match` fail. Completes “The request fails if, since
   * then, …”.
   */
  readonly 'x-takes-if-match': string;
  readonly 'x-takes-idempotency-key': true;
  readonly 'x-takes-client-name': true;
  readonly 'x-reads-own-writes': true;
  readonly 'x-access': Access;
  readonly 'x-has-etag': true;
  readonly 'x-links': readonly OperationLink[];
  readonly 'x-problems': readonly RefusalCode[];
  readonly 'x-events': DescribedEvents;
  readonly 'x-lines': DescribedLines;
  /** Describes request bodies that the handler reads itself. */
  readonly 'x-request-body': object;
  /** Media types of the response in addition to the one that the schema describes. */
  readonly 'x-also-answers': Readonly<Record<string, object>>;
};
