import { Inject, Injectable } from '@nestjs/common';
import { RunForgotten, runStream } from '../../../events/run.events.js';
import { EventStore } from '../../../kernel/event-store.js';
import { forgetStream } from '../../../kernel/forget-stream.js';
import { StreamRetention } from '../../../kernel/ports/stream-retention.js';
import { Transactions } from '../../../kernel/transactions.js';
import { pollLoop } from '../../../process/nest/poll-loop.js';
import { RunWriters } from '../../../tables/run-writers.js';
import { run } from '../run.state.js';

const PAGE = 100;

/**
 * Drops the streams of runs of which nothing was heard for long (docs/interface.md, "How long streams are kept"), and
 * who wrote them.
 */
@Injectable()
export class ForgottenRuns {
  constructor(
    @Inject(RunWriters) private readonly writers: RunWriters,
    @Inject(EventStore) private readonly store: EventStore,
    @Inject(Transactions) private readonly transactions: Transactions,
    @Inject(StreamRetention) private readonly kept: StreamRetention,
  ) {}

  /** Looks again and again until `signal` aborts. */
  start(signal: AbortSignal) {
    void pollLoop({ name: 'forget_old_runs', everyMs: this.kept.lookEveryMs, signal }, () => this.#forgetOld());
  }

  /** One that still goes on stays. */
  async #forgetOld(): Promise<false> {
    const before = new Date(Date.now() - this.kept.ms);
    for (let last = ''; ; ) {
      const runs = await this.writers.begunBefore(before, last, PAGE);
      for (const runId of runs) {
        const stream = {
          stream: runStream(runId),
          fold: run,
          tombstone: RunForgotten({}),
          before: before.toISOString(),
        };
        if (await forgetStream(this.store, this.transactions, stream)) await this.writers.forget(runId);
      }
      const next = runs.at(-1);
      if (next === undefined || runs.length < PAGE) return false;
      last = next;
    }
  }
}
