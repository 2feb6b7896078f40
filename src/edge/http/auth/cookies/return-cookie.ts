import type { FastifyReply, FastifyRequest } from 'fastify';
import { cookieValues } from './cookie-values.js';

/** Lifetime of the cookie. A mailed link has the same lifetime. */
const SECONDS = 600;

/** A path on this service, including its query. Two leading slashes would begin the URL of another host. */
const LOCAL = /^\/(?!\/)[\w.~!$&'()*+=:@%/?-]{0,3000}$/;

/**
 * Remembers where to send a browser after it signs in. If the mailed link contained the path instead, whoever requests
 * a link could choose where its recipient is sent.
 */
export class ReturnCookie {
  readonly #name: string;
  readonly #attributes: string;

  constructor(baseUrl: string) {
    const secure = baseUrl.startsWith('https:');
    this.#name = secure ? '__Host-stele_return' : 'stele_return';
    this.#attributes = `HttpOnly; SameSite=Lax; Path=/${secure ? '; Secure' : ''}`;
  }

  /** Stores a path on this service, escaped as in a URL, for ten minutes. Throws for any other string. */
  set(reply: FastifyReply, path: string): void {
    if (!LOCAL.test(path)) throw new Error('The return path must be a path on this service.');
    void reply.header('set-cookie', `${this.#name}=${path}; Max-Age=${SECONDS}; ${this.#attributes}`);
  }

  setIfPossible(reply: FastifyReply, path: string): void {
    if (LOCAL.test(path)) this.set(reply, path);
  }

  isIn(request: FastifyRequest): boolean {
    return this.#read(request) !== null;
  }

  take(request: FastifyRequest, reply: FastifyReply): string | null {
    const path = this.#read(request);
    if (path !== null) void reply.header('set-cookie', `${this.#name}=; Max-Age=0; ${this.#attributes}`);
    return path;
  }

  /**
   * Returns the path in the cookie. Returns null if the cookie occurs twice, because another host of this domain might
   * have set one of them.
   */
  #read({ headers }: FastifyRequest): string | null {
    const [path, ...others] = cookieValues(headers.cookie, this.#name);
    return path !== undefined && others.length === 0 && LOCAL.test(path) ? path : null;
  }
}
