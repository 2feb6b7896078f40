import { createHmac, hkdfSync } from 'node:crypto';
import { createRequire } from 'node:module';
import type { default as MagicLogin } from 'passport-magic-login';

// This is a CommonJS package, so its default export is under `default`.
const { default: Strategy } = createRequire(import.meta.url)('passport-magic-login') as typeof MagicLogin;

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/**
 * The token in a mailed link: a signed JSON Web Token (RFC 7519, HS256) with the link’s single-use secret and its
 * expiry. Because it is part of a URL, it never contains an email address. passport-magic-login only verifies tokens
 * here and does not create links. Its links can be used repeatedly for an hour, and its code comes from `Math.random()`
 * and is returned to the caller (docs/trials.md).
 */
export class LinkTokens {
  readonly #key: string;
  readonly #strategy: InstanceType<typeof Strategy>;

  constructor(rootKey: Buffer) {
    this.#key = Buffer.from(hkdfSync('sha256', rootKey, '', 'stele link tokens', 32)).toString('base64');
    this.#strategy = new Strategy({
      secret: this.#key,
      callbackUrl: '',
      jwtOptions: {},
      sendMagicLink: () =>
        Promise.reject(
          new Error('This strategy only verifies tokens. Sign-in emails are sent by the identity module.'),
        ),
      verify: (payload: unknown, done) => done(null, payload as object),
    });
  }

  /** Signs the token of a link that is valid until `expiresAt` (RFC 3339). */
  sign(secret: string, expiresAt: string): string {
    const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ id: secret, exp: Math.ceil(Date.parse(expiresAt) / 1_000) })}`;
    return `${text}.${createHmac('sha256', this.#key).update(text).digest('base64url')}`;
  }

  /** Returns the secret in a token, or null if the token has expired or was not signed here. */
  secretIn(token: string): string | null {
    let secret: string | null = null;
    const outcome = {
      success: (payload: { readonly id?: unknown }) => {
        secret = typeof payload.id === 'string' ? payload.id : null;
      },
      fail: () => undefined,
      error: () => undefined,
    };
    // Passport expects these callbacks to be methods of the strategy.
    Object.assign(Object.create(this.#strategy), outcome).authenticate({ query: { token } });
    return secret;
  }
}
