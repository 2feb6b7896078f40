import { createLocalJWKSet, type JWK } from 'jose';
import { type CheckedHosts, checkedJson, UnacceptableResponseError } from '../network/checked-json.js';

/** Time limit for reading the discovery document and the key set together. */
const WITHIN_MS = 5_000;
/** Maximum size of each document. GitHub’s key set has about 12 KB. */
const MAX_BYTES = 262_144;
const MAX_KEYS = 100;
/** Time after which cached keys are read again. */
const KEPT_MS = 10 * 60_000;
/** Minimum interval between reads after a key was missing or the response was unusable. */
const AGAIN_MS = 30_000;
/** Minimum interval between reads after an issuer did not respond. Equals the `retry-after` of our response. */
const UNANSWERED_MS = 5_000;
/** Maximum number of issuers with cached keys. Beyond that, the least recently read keys are evicted. */
const MAX_ISSUERS = 200;
/** Maximum size of a key in base64url: 8,192 bits, with an exponent of 32 bits. Larger keys only take more time. */
const MAX_MODULUS_CHARACTERS = 1_366;
const MAX_EXPONENT_CHARACTERS = 6;

export type Keys = ReturnType<typeof createLocalJWKSet>;

type KeptKeys = { readonly keys: Promise<Keys>; readonly at: number };

/** Caches key sets. Concurrent requests for an issuer share one read. */
export class IssuerKeys {
  readonly #kept = new Map<string, KeptKeys>();

  constructor(
    private readonly hosts: CheckedHosts,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Returns an issuer's keys. With `fresh`, reads them again unless they were read very recently. */
  of(issuer: string, fresh = false): Promise<Keys> {
    const kept = this.#kept.get(issuer);
    if (kept && this.now() - kept.at < (fresh ? AGAIN_MS : KEPT_MS)) return kept.keys;
    const keys = this.#read(issuer);
    const entry = { keys, at: this.now() };
    this.#kept.delete(issuer);
    this.#kept.set(issuer, entry);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_ISSUERS && oldest !== undefined) this.#kept.delete(oldest);
    // Cached failures expire sooner than cached keys.
    keys.catch((error) => {
      if (this.#kept.get(issuer) !== entry) return;
      const againAt = error instanceof UnacceptableResponseError ? entry.at + AGAIN_MS : this.now() + UNANSWERED_MS;
      this.#kept.set(issuer, { keys, at: againAt - KEPT_MS });
    });
    return keys;
  }

  async #read(issuer: string): Promise<Keys> {
    const asked = { signal: AbortSignal.timeout(WITHIN_MS), mostBytes: MAX_BYTES, plain: true };
    const address = new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
    const discovered = await checkedJson(address, this.hosts, asked);
    if (discovered.issuer !== issuer) throw new UnacceptableResponseError('has metadata for a different issuer');
    const keysAt = typeof discovered.jwks_uri === 'string' ? URL.parse(discovered.jwks_uri) : null;
    if (!keysAt) throw new UnacceptableResponseError('has no valid jwks_uri in its metadata');
    const { keys } = await checkedJson(keysAt, this.hosts, asked);
    if (!Array.isArray(keys) || keys.length > MAX_KEYS)
      throw new UnacceptableResponseError(`has no key set, or its key set has more than ${MAX_KEYS} keys`);
    return createLocalJWKSet({ keys: keys.filter(isUsable) });
  }
}

/** Reports whether a key is a public signing key. A published symmetric key proves nothing. */
function isUsable(key: unknown): key is JWK {
  if (typeof key !== 'object' || key === null) return false;
  const { kty, use, n, e } = key as JWK;
  if (use !== undefined && use !== 'sig') return false;
  if (kty !== 'RSA') return kty === 'EC' || kty === 'OKP';
  return (
    typeof n === 'string' &&
    n.length <= MAX_MODULUS_CHARACTERS &&
    typeof e === 'string' &&
    e.length <= MAX_EXPONENT_CHARACTERS
  );
}
