import { Injectable } from '@nestjs/common';
import { workStream } from '../../../events/work.events.js';
import { WakeUps } from '../../../kernel/ports/wake-ups.js';
import { Transactions } from '../../../kernel/transactions.js';
import { WorkQueue } from '../api/work-queue.js';
import type { InvocationResponse } from '../invocation-response.js';
import { CallerRegistry, WORK_RESULT } from '../waiting/waiting-callers.js';
import { type Work, work } from '../work.state.js';

/** Ends work in the queue after it has ended in the log, and wakes the waiting callers. */
@Injectable()
export class WorkSettlement {
  constructor(
    private readonly transactions: Transactions,
    private readonly queue: WorkQueue,
    private readonly wakeUps: WakeUps,
    private readonly callers: CallerRegistry,
  ) {}

  async settle(workId: string, outcome: 'succeeded' | 'failed' | 'expired'): Promise<void> {
    await this.queue.settle(workId, outcome);
    this.wakeUps.tell(WORK_RESULT, workId);
  }

  /**
   * Passes the response to callers that wait in this process, so that they don't have to query it. Must be called when
   * the work has ended in both the queue and the log.
   */
  answered(answer: InvocationResponse): void {
    this.callers.answered(answer);
    this.wakeUps.tell(WORK_RESULT, answer.id);
  }

  /** Returns the work as recorded in the log. If it has ended there, also ends it in the queue. */
  async byLog(workId: string): Promise<Work> {
    const { state } = await this.transactions.state(workStream(workId), work);
    if (state.status === 'succeeded' || state.status === 'failed' || state.status === 'expired')
      await this.settle(workId, state.status);
    return state;
  }
}
