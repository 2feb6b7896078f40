import type { Pool } from 'pg';
import { leftToLease } from '../../kernel/faults/ignored-fault.js';
import { answerTo } from '../../storage/postgres/database-fault.js';
import { seal } from '../keys/sealed.js';

/** An answer as it was first given. */
export type KeptAnswer = { readonly status: number; readonly headers: Record<string, string>; readonly body: unknown };

const LEASE_MS = 60_000;
const RENEW_MS = 20_000;
/** Between two tries to end a lease, in milliseconds. */
const END_AGAIN_MS = 100;
/** How long an answer waits for its lease to end; then it is sent, and the lease ends without it. Milliseconds. */
const END_WITHIN_MS = 1_000;

/** A key that a request holds while its work goes on. */
export class Reservation<Ids> {
  readonly #renewing: NodeJS.Timeout;
  readonly #key: string;
  readonly #values: readonly [name: string, holder: string];

  constructor(
    private readonly pool: Pool,
    { name, key, holder }: { readonly name: string; readonly key: string; readonly holder: string },
    /** Made before the work began, and given to a later try after a crash, so that the work can be found done. */
    readonly ids: Ids,
  ) {
    this.#key = key;
    this.#values = [name, holder];
    this.#renewing = setInterval(() => this.#renew(), RENEW_MS).unref();
  }

  /** Keeps the answer for 24 hours. `fingerprint` tells bodies apart: a digest of what was asked. */
  async keep(fingerprint: string, answer: KeptAnswer): Promise<void> {
    clearInterval(this.#renewing);
    const values = [...this.#values, fingerprint, seal('stele idempotency', this.#key, answer)];
    await answerTo(
      this.pool.query('update idempotency set fingerprint = $3, answer = $4 where key = $1 and holder = $2', values),
    );
  }

  /** The work came to nothing: the key is free again. */
  release(): Promise<void> {
    return this.#end('delete from idempotency where key = $1 and holder = $2 and answer is null');
  }

  /** It is not known whether the work was done, and it does not go on: another try may find out, with these ids. */
  letGo(): Promise<void> {
    return this.#end('update idempotency set leased_until = now() where key = $1 and holder = $2 and answer is null');
  }

  /** A caller who was told to try again must not find the key taken: what cannot be written now is written later. */
  async #end(statement: string): Promise<void> {
    clearInterval(this.#renewing);
    const over = performance.now() + LEASE_MS;
    const end = () => answerTo(this.pool.query(statement, [...this.#values]));
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
    // Too late is harmless: another try then finds the work done, by the same ids.
    this.pool
      .query("update idempotency set leased_until = now() + interval '60 seconds' where key = $1 and holder = $2", [
        ...this.#values,
      ])
      .catch(leftToLease);
  }
}
