import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThan, type Repository } from 'typeorm';
import { JobForgotten, jobStream } from '../../../events/job.events.js';
import { EventStore } from '../../../kernel/event-store.js';
import { forgetStream } from '../../../kernel/forget-stream.js';
import { StreamsKept } from '../../../kernel/streams-kept.js';
import { Transactions } from '../../../kernel/transactions.js';
import { JobRow } from '../../../projections/job.projection.js';
import { job } from '../job.state.js';

const AT_ONCE = 100;

/** Drops the streams of jobs that ended long ago (contract, section 7): their logs with them. */
@Injectable()
export class ForgottenJobs {
  readonly #log = new Logger('Jobs');

  constructor(
    @InjectRepository(JobRow) private readonly jobs: Repository<JobRow>,
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
        if (await this.#forgetSome()) continue;
      } catch (error) {
        this.#log.warn(`Old jobs stay for now: ${error instanceof Error ? error.message : error}`);
      }
      await delay(this.kept.lookEveryMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Answers whether there may be more. */
  async #forgetSome(): Promise<boolean> {
    const finishedAt = LessThan(new Date(Date.now() - this.kept.ms));
    const old = await this.jobs.find({ where: { finishedAt }, take: AT_ONCE, select: { jobId: true } });
    for (const { jobId } of old) {
      const at = new Date().toISOString();
      await forgetStream(this.store, this.transactions, {
        stream: jobStream(jobId),
        fold: job,
        told: JobForgotten({}),
        at,
      });
    }
    return old.length === AT_ONCE;
  }
}
