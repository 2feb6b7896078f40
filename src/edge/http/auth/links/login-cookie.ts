import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { cookieValues } from '../cookies/cookie-values.js';
import { hashSecret } from '../secrets.js';

/** Identifies the browser that requested a mailed link (docs/interface/accounts.md, "Emailed links"). */
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

  /** Sets the cookie and returns its hash. If the browser already has the cookie, its value stays the same. */
  issue(request: FastifyRequest, reply: FastifyReply): string {
    const value = this.#read(request) ?? randomBytes(18).toString('base64url');
    void reply.header('set-cookie', `${this.#name}=${value}; Max-Age=${this.seconds}; ${this.#attributes}`);
    return hashSecret(value);
  }

  hashIn(request: FastifyRequest): string | null {
    const value = this.#read(request);
    return value === null ? null : hashSecret(value);
  }

  #read({ headers }: FastifyRequest): string | null {
    const values = cookieValues(headers.cookie, this.#name).filter((value) => /^[\w-]{24}$/.test(value));
    return values.length === 1 ? (values[0] ?? null) : null;
  }
}
