import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiStream } from '../../../http/api/api-stream.js';
import { By } from '../../../http/auth/context.js';
import type { Given } from '../../../kernel/command-context.js';
import { LiveStreams } from '../../../live/live-streams.js';
import type { Feature } from '../../../process/nest/features.js';
import { WatchedRuns } from './run-live-streams.js';

const shownData = {
  type: 'object',
  required: ['at', 'data'],
  properties: {
    at: { type: 'string' },
    jobId: { type: 'string' },
    data: { type: 'object', additionalProperties: true, description: 'As it was told.' },
  },
};

@ApiTags('Command line')
@Controller('v1/cli/runs/:runId/events')
class WatchRunController {
  constructor(
    @Inject(WatchedRuns) private readonly runs: WatchedRuns,
    @Inject(LiveStreams) private readonly live: LiveStreams,
  ) {}

  @ApiOperation({
    summary: 'A run of the command line, as it happens',
    description:
      'Events: run.started, run.progress, run.log, run.succeeded, run.failed. Whoever holds the id may watch.',
  })
  @ApiStream('What was told of the run, also before its first event.', shownData)
  @Get()
  async watchRun(
    @Param('runId') runId: string,
    @By() { caller }: Given,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.live.answer(request, reply, this.runs.of(runId, caller));
  }
}

export const watchRun: Feature = { routes: [WatchRunController], providers: [WatchedRuns] };
