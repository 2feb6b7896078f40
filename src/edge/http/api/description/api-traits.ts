import type { RefusalCode } from '../../../../kernel/refusal.js';
import { attachTrait } from './api-extension.js';
import type { Access } from './operation-traits.js';

/** Lists the problems that this operation can return in addition to those common to all operations of its kind. */
export const ApiProblems = (...codes: readonly RefusalCode[]) => attachTrait('x-problems', codes);

/** States which credentials the operation accepts if its parameters do not show that. */
export const ApiAccess = (access: Access) => attachTrait('x-access', access);

/** Declares the `Idempotency-Key` header. The handler must run under `Idempotency`. */
export const ApiIdempotencyKey = () => attachTrait('x-takes-idempotency-key', true);

/** States that successful responses have an `ETag`. */
export const ApiETag = () => attachTrait('x-has-etag', true);
