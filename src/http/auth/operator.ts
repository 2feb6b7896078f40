import type { FastifyRequest } from 'fastify';
import { sameDigest } from '../../kernel/command-context.js';
import { hashSecret } from './secrets.js';

/** Whoever runs this service: known by `STELE_ADMIN_TOKEN`, sent as a bearer. Without that setting, nobody is. */
export class Operator {
  readonly #hash: string | null;

  constructor(token: string | null) {
    this.#hash = token === null ? null : hashSecret(token);
  }

  asks({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
    const token = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
    return token !== undefined && this.#hash !== null && sameDigest(hashSecret(token), this.#hash);
  }
}
