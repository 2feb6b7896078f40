import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { LiveStream } from '../../../edge/live/live-stream.js';
import { LiveStreamServer } from '../../../edge/live/live-streams.js';
import {
  RunFailed,
  RunLogged,
  RunProgressed,
  type RunReport,
  RunStarted,
  RunSucceeded,
  runStream,
} from '../../../events/run.events.js';
import type { Caller } from '../../../kernel/command-context.js';
import { quoteId } from '../../../kernel/output/quote-id.js';
import { refuse } from '../../../kernel/refusal.js';
import { runEnds } from '../run.state.js';
import { runIdPattern } from '../run-name.js';

/** Names under which clients receive the events of a run (docs/interface/streams.md, "Runs of the command line"). */
const names: Readonly<Record<string, string>> = {
  [RunStarted.type]: 'run.started',
  [RunProgressed.type]: 'run.progress',
  [RunLogged.type]: 'run.log',
  [RunSucceeded.type]: 'run.succeeded',
  [RunFailed.type]: 'run.failed',
};

/** Live streams of runs. Any caller who knows the ID can watch a run, even before its first event. */
@Injectable()
export class RunLiveStreams implements OnModuleInit {
  constructor(private readonly live: LiveStreamServer) {}

  onModuleInit() {
    this.live.resolver.offer('run', async (runId, who) => this.of(runId, await who()));
  }

  /** Returns the live stream of a run. Refuses an invalid run ID with `not_found`. */
  of(runId: string, { userId, editTokenHash }: Caller): LiveStream {
    if (!runIdPattern.test(runId)) refuse('not_found', `${quoteId(runId)} is not a valid run ID.`);
    return {
      stream: runStream(runId),
      finalTypes: runEnds,
      frameOf: ({ type, at, data }) => {
        const event = names[type];
        if (event === undefined) return null;
        const told = data as RunReport;
        return { event, data: { at, ...(told.jobId !== null && { jobId: told.jobId }), data: JSON.parse(told.data) } };
      },
      assertCanWatch: async () => undefined,
      session: userId ?? editTokenHash,
    };
  }
}
