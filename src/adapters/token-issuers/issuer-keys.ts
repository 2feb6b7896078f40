import { createLocalJWKSet, type JWK } from 'jose';
import { type CheckedHosts, checkedJson, NotServed } from '../network/checked-json.js';

/** For the discovery document and the keys together. Milliseconds. */
const WITHIN_MS = 5_000;
/** Of either. GitHub's key set has some 12 KB. */
const MOST_BYTES = 262_144;
const MOST_KEYS = 100;
/** How long keys are good without being asked for again. */
const KEPT_MS = 10 * 60_000;
/** How soon they are asked for again: where a key is not among them, and where what was answered is of no use. */
const AGAIN_MS = 30_000;
/** How soon keys are asked for again where an issuer did not answer: as the `retry-after` of our own answer says. */
const UNANSWERED_MS = 5_000;
/** Issuers whose keys are kept at once: the one that was asked for longest ago goes. */
const MOST_ISSUERS = 200;
/** Past these a key only costs time: 8,192 bits, and an exponent of 32. Characters of base64url. */
const LONGEST_MODULUS = 1_366;
const LONGEST_EXPONENT = 6;

export type Keys = ReturnType<typeof createLocalJWKSet>;

type KeptKeys = { readonly keys: Promise<Keys>; readonly at: number };

/** Key sets of issuers, each read once for all who need it at the time. */
export class IssuerKeys {
  readonly #kept = new Map<string, KeptKeys>();

  constructor(
    private readonly hosts: CheckedHosts,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** The keys of an issuer; with `fresh`, asked for again unless that was just done. Throws where they cannot be had. */
  of(issuer: string, fresh = false): Promise<Keys> {
    const kept = this.#kept.get(issuer);
    if (kept && this.now() - kept.at < (fresh ? AGAIN_MS : KEPT_MS)) return kept.keys;
    const keys = this.#read(issuer);
    const entry = { keys, at: this.now() };
    this.#kept.delete(issuer);
    this.#kept.set(issuer, entry);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_ISSUERS && oldest !== undefined) this.#kept.delete(oldest);
    // What could not be had is tried again sooner.
    keys.catch((error) => {
      if (this.#kept.get(issuer) !== entry) return;
      const againAt = error instanceof NotServed ? entry.at + AGAIN_MS : this.now() + UNANSWERED_MS;
      this.#kept.set(issuer, { keys, at: againAt - KEPT_MS });
    });
    return keys;
  }

  async #read(issuer: string): Promise<Keys> {
    const asked = { signal: AbortSignal.timeout(WITHIN_MS), mostBytes: MOST_BYTES, plain: true };
    const address = new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
    const discovered = await checkedJson(address, this.hosts, asked);
    if (discovered.issuer !== issuer) throw new NotServed('has metadata for a different issuer');
    const keysAt = typeof discovered.jwks_uri === 'string' ? URL.parse(discovered.jwks_uri) : null;
    if (!keysAt) throw new NotServed('has no valid jwks_uri in its metadata');
    const { keys } = await checkedJson(keysAt, this.hosts, asked);
    if (!Array.isArray(keys) || keys.length > MOST_KEYS)
      throw new NotServed(`has no key set, or one with more than ${MOST_KEYS} keys`);
    return createLocalJWKSet({ keys: keys.filter(isUsable) });
  }
}

/** Public keys to sign with. A secret one that was published proves nothing. */
function isUsable(key: unknown): key is JWK {
  if (typeof key !== 'object' || key === null) return false;
  const { kty, use, n, e } = key as JWK;
  if (use !== undefined && use !== 'sig') return false;
  if (kty !== 'RSA') return kty === 'EC' || kty === 'OKP';
  return typeof n === 'string' && n.length <= LONGEST_MODULUS && typeof e === 'string' && e.length <= LONGEST_EXPONENT;
}
