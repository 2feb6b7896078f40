import type { RefusalCode } from '../../../../kernel/refusal.js';
import type { Access } from './operation-traits.js';
import { tell } from './tell.js';

/** Which problems the operation answers beside those that every operation of its kind may answer. */
export const ApiProblems = (...codes: readonly RefusalCode[]) => tell('x-problems', codes);

/** Whose credentials the operation is for, where its parameters do not say so. */
export const ApiAccess = (access: Access) => tell('x-access', access);

/** The handler runs under `Idempotency`: the header is its key. */
export const ApiIdempotencyKey = () => tell('x-takes-idempotency-key', true);

/** Successful responses have an `ETag`. */
export const ApiETag = () => tell('x-has-etag', true);
