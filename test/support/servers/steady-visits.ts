import { setTimeout as delay } from 'node:timers/promises';
import { type RawAnswer, rawRequestsTo } from '../service/raw-request.js';

/** Visits a path at a fixed interval until `end` is called, even if earlier visits have not finished. */
export class SteadyVisits {
  readonly #failed: string[] = [];
  readonly #underWay = new Set<Promise<void>>();
  readonly #ask: ReturnType<typeof rawRequestsTo>;
  readonly #going: Promise<void>;
  #isOver = false;
  slowestMs = 0;
  count = 0;

  constructor(
    port: number,
    host: string,
    private readonly path: string,
    private readonly isGood: (answer: RawAnswer) => boolean = ({ status }) => status === 200,
    everyMs = 50,
  ) {
    this.#ask = rawRequestsTo(port, host);
    this.#going = this.#visit(everyMs);
  }

  /** Stops visiting, waits for the remaining responses, and returns the failures. */
  async end(): Promise<readonly string[]> {
    this.#isOver = true;
    await this.#going;
    await Promise.all(this.#underWay);
    return this.#failed;
  }

  async #visit(everyMs: number): Promise<void> {
    const began = performance.now();
    while (!this.#isOver) {
      const one = this.#once().finally(() => this.#underWay.delete(one));
      this.#underWay.add(one);
      this.count += 1;
      // A failed test does not call `end`, so the timer must not keep Jest running.
      await delay(Math.max(0, began + this.count * everyMs - performance.now()), undefined, { ref: false });
    }
  }

  async #once(): Promise<void> {
    const began = performance.now();
    try {
      const answer = await this.#ask(this.path);
      if (!this.isGood(answer)) this.#failed.push(`${answer.status} ${String(answer.body).slice(0, 200)}`);
    } catch (error) {
      this.#failed.push(String(error));
    }
    this.slowestMs = Math.max(this.slowestMs, performance.now() - began);
  }
}
