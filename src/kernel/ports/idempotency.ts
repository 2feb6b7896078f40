import type { Person } from './people.js';
import type { PersonalDataStore } from './personal-data-stores.js';

/** Who asks, with which key, for what. */
export type KeyedRequest = {
  /** The user, else the edit token's hash, else the address: keys of different callers never meet. */
  readonly caller: string;
  /** Whose answer it is; null where nobody is signed in. */
  readonly userId: string | null;
  /** As the caller sent it; only its hash is kept. */
  readonly key: string;
  /** Method, route and query: known before the body. */
  readonly route: string;
};

/** An answer as it was first given. */
export type KeptAnswer = { readonly status: number; readonly headers: Record<string, string>; readonly body: unknown };

/** What a request that may go on has in hand. */
export abstract class Reservation<Ids> {
  /** Made before the work began; the same for a later try after a crash, so that the work can be found done. */
  abstract readonly ids: Ids;

  /** Keeps the answer for 24 hours. `fingerprint` tells bodies apart: a digest of what was asked. */
  abstract keep(fingerprint: string, answer: KeptAnswer): Promise<void>;

  /** The work came to nothing: the key is free again. */
  abstract release(): Promise<void>;

  /** Nobody knows whether the work was done, and nobody goes on with it: another try may find out, with the same ids. */
  abstract letGo(): Promise<void>;
}

export type Reserved<Ids> =
  | { readonly kind: 'go'; readonly reservation: Reservation<Ids> }
  /** It was answered before. Equal fingerprints are the same request; another is a mistake of the caller's. */
  | { readonly kind: 'answered'; readonly fingerprint: string; readonly answer: KeptAnswer };

/**
 * Makes retries harmless (docs/interface.md, "Retry safety"). A reservation is a lease of 60 seconds that is prolonged
 * while the work goes on, so that a crash neither blocks a key for long nor lets anything happen twice.
 */
export abstract class IdempotencyKeys implements PersonalDataStore {
  /**
   * Refuses with `idempotency_in_progress` while another try runs, `idempotency_key_reused` for another route. Throws
   * `StorageFull` and `StoreUnavailable`.
   */
  abstract reserve<Ids>(request: KeyedRequest, makeIds: () => Ids): Promise<Reserved<Ids>>;

  /** Whether there is an answer to replay. */
  abstract isAnswered(request: KeyedRequest): Promise<boolean>;

  /** Answers that were kept for the person may contain anything, an address among it: they are gone. */
  abstract forget(person: Pick<Person, 'userId'>): Promise<void>;
}
