import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ApiStream } from '../../../edge/http/api/api-stream.js';
import { ApiProblems } from '../../../edge/http/api/description/api-traits.js';
import { Context } from '../../../edge/http/auth/context.js';
import { LiveStreamServer } from '../../../edge/live/live-streams.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import type { Feature } from '../../../nest/features.js';
import { RunLiveStreams } from './run-live-streams.js';

const Told = z.object({
  at: z.string(),
  jobId: z.string().optional(),
  data: z.record(z.string(), z.unknown()).meta({ description: 'The event’s data, as recorded.' }),
});

const runEvents = {
  'run.started': Told,
  'run.progress': Told,
  'run.log': Told,
  'run.succeeded': Told,
  'run.failed': Told,
};

@ApiTags('Command line')
@Controller('v1/cli/runs/:runId/events')
class WatchRunController {
  constructor(
    private readonly runs: RunLiveStreams,
    private readonly live: LiveStreamServer,
  ) {}

  @ApiOperation({
    summary: 'Watch a command-line run',
    description:
      'Streams the events run.started, run.progress, run.log, run.succeeded and run.failed as they are recorded. Anyone who knows the run ID can watch the run.',
  })
  @ApiStream('The events of the run. You can connect before the first event has been recorded.', 'RunEvent', runEvents)
  @ApiProblems('not_found', 'unavailable')
  @Get()
  async watchRun(
    @Param('runId') runId: string,
    @Context() { caller }: CommandContext,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.live.answer(request, reply, this.runs.of(runId, caller));
  }
}

export const watchRun: Feature = { routes: [WatchRunController], providers: [RunLiveStreams] };
