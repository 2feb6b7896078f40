import type { RefusalCode } from '../../../../kernel/refusal.js';
import type { Access } from './operation-traits.js';
import { tell } from './tell.js';

/** Lists the problems that this operation can return, besides those common to all operations of its kind. */
export const ApiProblems = (...codes: readonly RefusalCode[]) => tell('x-problems', codes);

/** States which credentials the operation accepts, if its parameters do not show it. */
export const ApiAccess = (access: Access) => tell('x-access', access);

/** Declares the `Idempotency-Key` header. The handler must run under `Idempotency`. */
export const ApiIdempotencyKey = () => tell('x-takes-idempotency-key', true);

/** Successful responses have an `ETag`. */
export const ApiETag = () => tell('x-has-etag', true);
