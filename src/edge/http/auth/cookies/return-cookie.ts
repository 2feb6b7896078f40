import type { FastifyReply, FastifyRequest } from 'fastify';
import { cookieValues } from './cookie-values.js';

/** As long as a mailed link is valid. */
const SECONDS = 600;

/** A path on this service with its query. Two slashes would begin the address of another host. */
const LOCAL = /^\/(?!\/)[\w.~!$&'()*+=:@%/?-]{0,3000}$/;

/**
 * Where a browser is sent after it has signed in, whichever way it does. Only that browser knows it: in a mailed link
 * it would lead the reader of the mail wherever another person has asked for.
 */
export class ReturnCookie {
  readonly #name: string;
  readonly #attributes: string;

  constructor(baseUrl: string) {
    const secure = baseUrl.startsWith('https:');
    this.#name = secure ? '__Host-stele_return' : 'stele_return';
    this.#attributes = `HttpOnly; SameSite=Lax; Path=/${secure ? '; Secure' : ''}`;
  }

  /** Remembers a path on this service, escaped as in a URL, for ten minutes. Throws for anything else. */
  set(reply: FastifyReply, path: string): void {
    if (!LOCAL.test(path)) throw new Error('The return path must be a path on this service.');
    void reply.header('set-cookie', `${this.#name}=${path}; Max-Age=${SECONDS}; ${this.#attributes}`);
  }

  /** Whether a path is remembered. */
  isIn(request: FastifyRequest): boolean {
    return this.#read(request) !== null;
  }

  /** The remembered path, which is then forgotten; null without one. */
  take(request: FastifyRequest, reply: FastifyReply): string | null {
    const path = this.#read(request);
    if (path !== null) void reply.header('set-cookie', `${this.#name}=; Max-Age=0; ${this.#attributes}`);
    return path;
  }

  /**
   * The path in the cookie. Another host of this domain may set a cookie of this name: alone it can lead only to this
   * service, and beside ours both are ignored.
   */
  #read({ headers }: FastifyRequest): string | null {
    const [path, ...others] = cookieValues(headers.cookie, this.#name);
    return path !== undefined && others.length === 0 && LOCAL.test(path) ? path : null;
  }
}
