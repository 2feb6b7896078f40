import { Controller, HttpCode, Inject, Param, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { RepoSource } from '../../../events/repo-source.js';
import { ServiceUrls } from '../../../http/api/service-urls.js';
import { Context } from '../../../http/auth/context.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import { JobSites } from '../../../kernel/ports/job-sites.js';
import { ReadModels } from '../../../kernel/ports/read-models.js';
import type { Feature } from '../../../process/nest/features.js';
import { JobQueue } from '../../../tables/job-queue.js';
import { JobCommand } from '../job-command.js';
import { JobReader } from '../show-job/job-reader.js';
import { JobSnapshot, snapshotOf } from '../show-job/snapshot.js';
import { decideStop } from './stop-job.decide.js';

export class StopJob extends JobCommand(decideStop) {}

@ApiTags('Jobs')
@Controller('v1/jobs/:id/stop')
class StopJobController {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(ReadModels) private readonly readModels: ReadModels,
    @Inject(JobReader) private readonly reader: JobReader,
    @Inject(JobSites) private readonly sites: JobSites<RepoSource>,
    @Inject(JobQueue) private readonly queue: JobQueue,
    @Inject(ServiceUrls) private readonly urls: ServiceUrls,
  ) {}

  @ApiOperation({
    summary: 'Stop a job',
    description:
      'What it runs is gone within five seconds. Stopping a job that is stopping or stopped changes nothing.',
  })
  @ApiHeader({ name: 'x-svc-edit-token', description: 'The edit token of the job’s site.' })
  @ApiResponse({ status: 200, standardSchema: JobSnapshot, description: 'The job as it stands now.' })
  @Post()
  @HttpCode(200)
  async stopJob(
    @Param('id') id: string,
    @Context() context: CommandContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { siteId } = await this.reader.getFor(id, context.caller);
    await this.sites.mayDeploy(siteId, context);
    const { state, position } = await this.commands.execute(new StopJob({ context, jobId: id }));
    if (state.status === 'stopped') await this.queue.remove(id);
    if (position !== null) {
      void reply.header('stele-position', String(position));
      await this.readModels.reached(position);
    }
    return snapshotOf(await this.reader.getFor(id, context.caller), this.urls);
  }
}

export const stopJob: Feature = { routes: [StopJobController] };
