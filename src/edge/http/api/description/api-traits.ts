import type { RefusalCode } from '../../../../kernel/refusal.js';
import { attachTrait } from './api-extension.js';
import type { Access } from './operation-traits.js';

/** Lists the problems of this operation in addition to those that are common to all operations of its kind. */
export const ApiProblems = (...codes: readonly RefusalCode[]) => attachTrait('x-problems', codes);

/**
 * Declares which credentials the operation accepts. Only for operations whose parameter decorators do not show this.
 */
export const ApiAccess = (access: Access) => attachTrait('x-access', access);

/** Declares the `Idempotency-Key` header. The handler must run under `Idempotency`. */
export const ApiIdempotencyKey = () => attachTrait('x-takes-idempotency-key', true);

/** Declares the `stele-client` header, in which a program names itself. */
export const ApiClientName = () => attachTrait('x-takes-client-name', true);

export const ApiETag = () => attachTrait('x-has-etag', true);
