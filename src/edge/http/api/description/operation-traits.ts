import type { RefusalCode } from '../../../../kernel/refusal.js';
import type { RouteOptions } from '../route-options.js';
import type { DescribedEvents, DescribedLines } from './api-events.js';
import type { ApiLink } from './api-links.js';

/**
 * Whose credentials an operation is for. `anybody`: it is answered without any, and takes those that are there. `upload`:
 * an upload token will do.
 */
export type Access = 'anybody' | 'credential' | 'session' | 'upload';

/** The changes of a site that make a request with an older `If-Match` fail. */
export type RevisionDependency = 'content' | 'presentation' | 'everything';

/**
 * What routes say of themselves, for `/openapi.json` alone: the description is made of it, and none of it is shown as it
 * stands here.
 */
export type OperationTraits = {
  readonly 'x-route': RouteOptions;
  readonly 'x-takes-caller': true;
  readonly 'x-takes-session': true;
  readonly 'x-takes-if-match': RevisionDependency;
  readonly 'x-takes-idempotency-key': true;
  readonly 'x-reads-own-writes': true;
  readonly 'x-access': Access;
  readonly 'x-has-etag': true;
  readonly 'x-links': readonly ApiLink[];
  readonly 'x-problems': readonly RefusalCode[];
  /** What its streams are made of. */
  readonly 'x-events': DescribedEvents;
  /** What each line of a list that answers in lines is. */
  readonly 'x-lines': DescribedLines;
  /** Bodies that a handler reads itself. */
  readonly 'x-request-body': object;
  /** Media types beside the one of the answer’s schema. */
  readonly 'x-also-answers': Readonly<Record<string, object>>;
};
