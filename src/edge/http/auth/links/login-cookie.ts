import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { cookieValues } from '../cookies/cookie-values.js';
import { hashSecret } from '../secrets.js';

/**
 * The cookie that identifies the browser that requested a mailed link, as opposed to anything else that opens it
 * (docs/interface/accounts.md, "E-mailed links").
 */
export class LoginCookie {
  readonly #name: string;
  readonly #attributes: string;

  constructor(
    baseUrl: string,
    private readonly seconds: number,
  ) {
    const secure = baseUrl.startsWith('https:');
    this.#name = secure ? '__Host-stele_login' : 'stele_login';
    this.#attributes = `HttpOnly; SameSite=Lax; Path=/${secure ? '; Secure' : ''}`;
  }

  /**
   * Sets the cookie for the lifetime given to the constructor, and returns its hash. A browser that already has the
   * cookie keeps its value.
   */
  issue(request: FastifyRequest, reply: FastifyReply): string {
    const value = this.#read(request) ?? randomBytes(18).toString('base64url');
    void reply.header('set-cookie', `${this.#name}=${value}; Max-Age=${this.seconds}; ${this.#attributes}`);
    return hashSecret(value);
  }

  /** The hash of the cookie in the request; null if there is none. */
  hashIn(request: FastifyRequest): string | null {
    const value = this.#read(request);
    return value === null ? null : hashSecret(value);
  }

  #read({ headers }: FastifyRequest): string | null {
    const values = cookieValues(headers.cookie, this.#name).filter((value) => /^[\w-]{24}$/.test(value));
    return values.length === 1 ? (values[0] ?? null) : null;
  }
}
