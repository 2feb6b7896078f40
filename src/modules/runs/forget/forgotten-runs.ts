import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { RunForgotten, runStream } from '../../../events/run.events.js';
import { StreamRetention } from '../../../kernel/ports/stream-retention.js';
import { ForgetStream } from '../../../nest/forget-stream.js';
import { pollLoop } from '../../../nest/poll-loop.js';
import { RunWriters } from '../record/run-writers.js';
import { run } from '../run.state.js';

const PAGE = 100;

/** Deletes streams and writers of runs that have long been inactive (docs/interface/streams.md, "Retention"). */
@Injectable()
export class RunForgetter {
  constructor(
    private readonly writers: RunWriters,
    private readonly commands: CommandBus,
    private readonly kept: StreamRetention,
  ) {}

  start(signal: AbortSignal) {
    void pollLoop({ name: 'forget_old_runs', everyMs: this.kept.lookEveryMs, signal }, () => this.#forgetOld());
  }

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
        if (await this.commands.execute(new ForgetStream(stream))) await this.writers.forget(runId);
      }
      const next = runs.at(-1);
      if (next === undefined || runs.length < PAGE) return false;
      last = next;
    }
  }
}
