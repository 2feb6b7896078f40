import type { FastifyRequest } from 'fastify';
import { sameDigest } from '../../kernel/command-context.js';
import { hashSecret } from './secrets.js';

/**
 * The operator of this service, known by `STELE_ADMIN_TOKEN` as a bearer token. Without that setting no caller is the
 * operator.
 */
export class Operator {
  readonly #hash: string | null;

  constructor(token: string | null) {
    this.#hash = token === null ? null : hashSecret(token);
  }

  /** Whether the operator sent this request. */
  isCallerOf({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
    const token = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
    return token !== undefined && this.#hash !== null && sameDigest(hashSecret(token), this.#hash);
  }
}
