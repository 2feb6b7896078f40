import { createHmac, hkdfSync } from 'node:crypto';
import { createRequire } from 'node:module';
import type { default as MagicLogin } from 'passport-magic-login';

// A CommonJS package whose default export says so itself.
const { default: Strategy } = createRequire(import.meta.url)('passport-magic-login') as typeof MagicLogin;

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/**
 * The token in a mailed link: a signed JSON Web Token (RFC 7519, HS256) around the link's own single-use secret and
 * its expiry. Never an address: it would stand in a URL.
 *
 * passport-magic-login verifies it and does nothing else here: as shipped its links can be used again for an hour, and
 * its code comes from `Math.random()` and goes to whoever asked (docs/trials.md, "Mailed links").
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
      sendMagicLink: () => Promise.reject(new Error('Mail is sent by the module.')),
      verify: (payload: unknown, done) => done(null, payload as object),
    });
  }

  /** For a link that is good until then (RFC 3339). */
  sign(secret: string, expiresAt: string): string {
    const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ id: secret, exp: Math.ceil(Date.parse(expiresAt) / 1_000) })}`;
    return `${text}.${createHmac('sha256', this.#key).update(text).digest('base64url')}`;
  }

  /** The secret in a token that we signed; null for anything else, and when its time is over. */
  secretIn(token: string): string | null {
    let secret: string | null = null;
    const outcome = {
      success: (payload: { readonly id?: unknown }) => {
        secret = typeof payload.id === 'string' ? payload.id : null;
      },
      fail: () => undefined,
      error: () => undefined,
    };
    // Passport's contract: a strategy is told on itself what became of it.
    Object.assign(Object.create(this.#strategy), outcome).authenticate({ query: { token } });
    return secret;
  }
}
