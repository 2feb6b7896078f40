import type { Pool } from 'pg';
import { leftToLease } from '../../kernel/faults/ignored-fault.js';
import { awaitDatabase } from '../../storage/postgres/database-fault.js';
import { seal } from '../keys/sealed.js';

export type StoredResponse = {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: unknown;
};

const LEASE_MS = 60_000;
const RENEW_MS = 20_000;
/** Interval between attempts to end a lease in the database. */
const END_AGAIN_MS = 100;
/**
 * Maximum time that a response is delayed until the lease on its idempotency key has ended. After that, the response is
 * sent, and the lease is ended in the background.
 */
const END_WITHIN_MS = 1_000;

export class Reservation<Ids> {
  readonly #renewing: NodeJS.Timeout;
  readonly #key: string;
  readonly #values: readonly [name: string, holder: string];

  constructor(
    private readonly pool: Pool,
    { name, key, holder }: { readonly name: string; readonly key: string; readonly holder: string },
    /**
     * IDs chosen before the work begins. A retry after a crash gets the same IDs and uses them to find completed
     * work.
     */
    readonly ids: Ids,
  ) {
    this.#key = key;
    this.#values = [name, holder];
    this.#renewing = setInterval(() => this.#renew(), RENEW_MS).unref();
  }

  /**
   * Stores the response for 24 hours. `fingerprint` is a digest of the request, which reveals whether a retry has a
   * different body.
   */
  async keep(fingerprint: string, answer: StoredResponse): Promise<void> {
    clearInterval(this.#renewing);
    const values = [...this.#values, fingerprint, seal('stele idempotency', this.#key, answer)];
    await awaitDatabase(
      this.pool.query('update idempotency set fingerprint = $3, answer = $4 where key = $1 and holder = $2', values),
    );
  }

  /** Releases a key whose request was not processed. */
  release(): Promise<void> {
    return this.#end('delete from idempotency where key = $1 and holder = $2 and answer is null');
  }

  /** Ends the lease but keeps the IDs. A retry of the request uses them to find out whether the work was done. */
  letGo(): Promise<void> {
    return this.#end('update idempotency set leased_until = now() where key = $1 and holder = $2 and answer is null');
  }

  /**
   * Ends the lease, retrying until that succeeds. Otherwise, a caller who was told to try again would find the key
   * still reserved.
   */
  async #end(statement: string): Promise<void> {
    clearInterval(this.#renewing);
    const over = performance.now() + LEASE_MS;
    const end = () => awaitDatabase(this.pool.query(statement, [...this.#values]));
    const endLater = () => {
      if (performance.now() < over) setTimeout(() => end().catch(endLater), END_AGAIN_MS).unref();
    };
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, END_WITHIN_MS);
    });
    await Promise.race([end().catch(endLater), late]);
    clearTimeout(timer);
  }

  #renew() {
    // If the lease is renewed too late, another process can start a second attempt. This is harmless, because the
    // second attempt finds completed work by its IDs.
    this.pool
      .query("update idempotency set leased_until = now() + interval '60 seconds' where key = $1 and holder = $2", [
        ...this.#values,
      ])
      .catch(leftToLease);
  }
}
