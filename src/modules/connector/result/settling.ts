import { Inject, Injectable } from '@nestjs/common';
import { workStream } from '../../../events/work.events.js';
import { WakeUps } from '../../../kernel/ports/wake-ups.js';
import { Transactions } from '../../../kernel/transactions.js';
import { WorkQueue } from '../api/work-queue.js';
import type { InvocationAnswer } from '../invocation-answer.js';
import { ANSWERED, WaitingCallers } from '../waiting/waiting-callers.js';
import { type Work, work } from '../work.state.js';

/** Ends work in the queue after it has ended in the log, and wakes the waiting callers. */
@Injectable()
export class Settling {
  constructor(
    @Inject(Transactions) private readonly transactions: Transactions,
    @Inject(WorkQueue) private readonly queue: WorkQueue,
    @Inject(WakeUps) private readonly wakeUps: WakeUps,
    @Inject(WaitingCallers) private readonly callers: WaitingCallers,
  ) {}

  async settle(workId: string, outcome: 'succeeded' | 'failed' | 'expired'): Promise<void> {
    await this.queue.settle(workId, outcome);
    this.wakeUps.tell(ANSWERED, workId);
  }

  /** The work has ended everywhere with this response, so callers in this process get it without a query. */
  answered(answer: InvocationAnswer): void {
    this.callers.answered(answer);
    this.wakeUps.tell(ANSWERED, answer.id);
  }

  /** Returns the work as recorded in the log. If it has ended there, it is ended in the queue too. */
  async byLog(workId: string): Promise<Work> {
    const { state } = await this.transactions.state(workStream(workId), work);
    if (state.status === 'succeeded' || state.status === 'failed' || state.status === 'expired')
      await this.settle(workId, state.status);
    return state;
  }
}
