import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiStream } from '../../../edge/http/api/api-stream.js';
import { ApiAccess } from '../../../edge/http/api/description/api-traits.js';
import { ReadYourWrites } from '../../../edge/http/api/read-your-writes.js';
import { Authentication } from '../../../edge/http/auth/authentication.js';
import { wantsPage } from '../../../edge/http/pages/web-page.js';
import { LiveStreamServer } from '../../../edge/live/live-streams.js';
import type { Feature } from '../../../nest/features.js';
import { jobPath } from '../job-creator.js';
import { jobEventShapes } from './job-event-shapes.js';
import { JobLiveStreams } from './job-live-streams.js';
import { readJobLog, watchJobTool } from './job-tools.js';

@ApiTags('Jobs')
@Controller('v1/jobs/:id/events')
class WatchJobController {
  constructor(
    private readonly jobs: JobLiveStreams,
    private readonly authentication: Authentication,
    private readonly live: LiveStreamServer,
  ) {}

  @ApiOperation({
    summary: 'Follow a job',
    description:
      'Streams these events: job.queued, job.started, job.step, job.log, job.stop-requested, and finally one of job.succeeded, job.failed and job.stopped.',
  })
  @ApiStream('All events of the job so far, then new ones as they happen.', 'JobEvent', jobEventShapes, {
    hasText: true,
  })
  @ApiAccess('anybody')
  @ApiResponse({ status: 303, description: 'Redirect to the job’s page, for browsers.' })
  @ReadYourWrites()
  @Get()
  async watchJob(@Param('id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    if (wantsPage(request)) return reply.redirect(jobPath(id), 303);
    await this.live.answer(request, reply, await this.jobs.of(id, () => this.authentication.callerNow(request)));
  }
}

export const watchJob: Feature = {
  routes: [WatchJobController],
  providers: [JobLiveStreams],
  tools: [readJobLog, watchJobTool],
};
