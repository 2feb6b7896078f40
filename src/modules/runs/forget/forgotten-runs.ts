import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { RunForgotten, runStream } from '../../../events/run.events.js';
import { EventStore } from '../../../kernel/event-store.js';
import { forgetStream } from '../../../kernel/forget-stream.js';
import { RunWriters } from '../../../kernel/run-writers.js';
import { StreamsKept } from '../../../kernel/streams-kept.js';
import { Transactions } from '../../../kernel/transactions.js';
import { run } from '../run.state.js';

const AT_ONCE = 100;

/** Drops the streams of runs of which nothing was heard for long (contract, section 7), and who wrote them. */
@Injectable()
export class ForgottenRuns {
  readonly #log = new Logger('Runs');

  constructor(
    @Inject(RunWriters) private readonly writers: RunWriters,
    @Inject(EventStore) private readonly store: EventStore,
    @Inject(Transactions) private readonly transactions: Transactions,
    @Inject(StreamsKept) private readonly kept: StreamsKept,
  ) {}

  /** Looks again and again until `signal` aborts. */
  start(signal: AbortSignal) {
    void this.#keepLooking(signal);
  }

  async #keepLooking(signal: AbortSignal) {
    while (!signal.aborted) {
      try {
        await this.#forgetOld();
      } catch (error) {
        this.#log.warn(`Old runs stay for now: ${error instanceof Error ? error.message : error}`);
      }
      await delay(this.kept.lookEveryMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async #forgetOld() {
    const before = new Date(Date.now() - this.kept.ms);
    for (let after = ''; ; ) {
      const runs = await this.writers.begunBefore(before, after, AT_ONCE);
      for (const runId of runs) await this.#forget(runId, before);
      const last = runs.at(-1);
      if (last === undefined || runs.length < AT_ONCE) return;
      after = last;
    }
  }

  /** One that still goes on stays. */
  async #forget(runId: string, before: Date) {
    const stream = runStream(runId);
    const { head } = await this.transactions.state(stream, run);
    const [last] = await this.store.page(stream, head.revision - 1, 1);
    if (last && last.at >= before.toISOString()) return;
    if (last && last.type !== RunForgotten.type) {
      const at = new Date().toISOString();
      await forgetStream(this.store, this.transactions, { stream, fold: run, told: RunForgotten({}), at });
    }
    await this.writers.forget(runId);
  }
}
