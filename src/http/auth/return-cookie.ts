import type { FastifyReply, FastifyRequest } from 'fastify';

/** As long as a mailed link. */
const SECONDS = 600;

/** A path on this service with its query; two slashes would begin another host's address. */
const LOCAL = /^\/(?!\/)[\w.~!$&'()*+=:@%/?-]{0,3000}$/;

/**
 * Where a browser goes on to that had to sign in first, whichever way it does. It is kept by that browser alone: in a
 * mailed link it would take whoever reads the mail to wherever somebody else has asked for.
 */
export class ReturnCookie {
  readonly #name: string;
  readonly #attributes: string;

  constructor(baseUrl: string) {
    const secure = baseUrl.startsWith('https:');
    this.#name = secure ? '__Host-stele_return' : 'stele_return';
    this.#attributes = `HttpOnly; SameSite=Lax; Path=/${secure ? '; Secure' : ''}`;
  }

  /** Keeps a path of our own, escaped as in an address, for ten minutes. */
  keep(reply: FastifyReply, path: string): void {
    if (!LOCAL.test(path)) throw new Error('Only a path on this service is returned to.');
    void reply.header('set-cookie', `${this.#name}=${path}; Max-Age=${SECONDS}; ${this.#attributes}`);
  }

  /** Whether somewhere is waiting for the browser to sign in. */
  isIn(request: FastifyRequest): boolean {
    return this.#read(request) !== null;
  }

  /** The path that was kept, and forgotten by this; null without one. */
  take(request: FastifyRequest, reply: FastifyReply): string | null {
    const path = this.#read(request);
    if (path !== null) void reply.header('set-cookie', `${this.#name}=; Max-Age=0; ${this.#attributes}`);
    return path;
  }

  /** A neighbour's cookie of the same name leads nowhere but to this service, and beside ours to nothing. */
  #read({ headers }: FastifyRequest): string | null {
    const values = (headers.cookie ?? '').split(';').flatMap((pair) => {
      const [name = '', ...value] = pair.trim().split('=');
      return name === this.#name ? [value.join('=')] : [];
    });
    const [path, ...others] = values;
    return path !== undefined && others.length === 0 && LOCAL.test(path) ? path : null;
  }
}
