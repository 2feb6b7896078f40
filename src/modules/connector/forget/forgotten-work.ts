import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { WorkForgotten, workStream } from '../../../events/work.events.js';
import { StreamRetention } from '../../../kernel/ports/stream-retention.js';
import { ForgetStream } from '../../../nest/forget-stream.js';
import { pollLoop } from '../../../nest/poll-loop.js';
import { WorkQueue } from '../api/work-queue.js';
import { work } from '../work.state.js';

const PAGE = 100;

/** Deletes streams and rows of work that ended long ago (docs/interface/streams.md, "Retention"). */
@Injectable()
export class WorkForgetter {
  constructor(
    private readonly queue: WorkQueue,
    private readonly commands: CommandBus,
    private readonly kept: StreamRetention,
  ) {}

  start(signal: AbortSignal) {
    void pollLoop({ name: 'forget_old_work', everyMs: this.kept.lookEveryMs, signal }, () => this.#forgetOld());
  }

  async #forgetOld(): Promise<false> {
    const { leftovers } = this.queue;
    const before = new Date(Date.now() - this.kept.ms);
    for (let last = ''; ; ) {
      const old = await leftovers.overBefore(before, last, PAGE);
      for (const workId of old) {
        const stream = {
          stream: workStream(workId),
          fold: work,
          tombstone: WorkForgotten({}),
          before: before.toISOString(),
        };
        if (await this.commands.execute(new ForgetStream(stream))) await leftovers.forget(workId);
      }
      const next = old.at(-1);
      if (next === undefined || old.length < PAGE) return false;
      last = next;
    }
  }
}
