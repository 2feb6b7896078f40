import type { AskedOfProvider } from './identity-provider.js';

/** A sign-in that somebody began and has gone to the identity provider for. */
export type SignInAttempt = {
  readonly asked: AskedOfProvider;
  /** The page of ours where they end; null for the usual one. */
  readonly returnTo: string | null;
};

/**
 * Sign-ins under way at the identity provider, for ten minutes. Only hashes are kept, and the attempt sealed with its
 * `state`: a copy of the database finishes nobody's sign-in.
 */
export abstract class SignInAttempts {
  /** Keeps an attempt for the browser whose cookie has this hash. */
  abstract keep(state: string, browserHash: string, attempt: SignInAttempt): Promise<void>;

  /**
   * Uses an attempt up: of any number at once, one. Null when it is unknown, used, over, or of another browser, which
   * does not use it up.
   */
  abstract take(state: string, browserHash: string): Promise<SignInAttempt | null>;
}
