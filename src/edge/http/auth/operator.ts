import type { FastifyRequest } from 'fastify';
import { sameDigest } from '../../../kernel/command-context.js';
import { refuse } from '../../../kernel/refusal.js';
import { hashSecret } from './secrets.js';
import { parseBearer } from './strategies/bearer.js';

/**
 * The operator, identified by `STELE_ADMIN_TOKEN` as the bearer token. Without that setting, no caller is the operator.
 */
export class Operator {
  readonly #hash: string | null;

  constructor(token: string | null) {
    this.#hash = token === null ? null : hashSecret(token);
  }

  /** Reports whether the operator sent a request. Refuses a malformed bearer token with `unauthenticated`. */
  isCallerOf({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
    const token = parseBearer(headers.authorization);
    return token !== null && this.#hash !== null && sameDigest(hashSecret(token), this.#hash);
  }

  /**
   * Refuses callers other than the operator: with `unauthenticated` if they sent no bearer token, otherwise with
   * `forbidden`.
   */
  assertCallerOf(request: Pick<FastifyRequest, 'headers'>): void {
    if (this.isCallerOf(request)) return;
    if (request.headers.authorization === undefined)
      refuse('unauthenticated', 'Send the admin token in the Authorization header: Bearer TOKEN.');
    refuse('forbidden', 'This is not this service’s admin token.');
  }
}
