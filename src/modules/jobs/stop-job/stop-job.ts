import { Body, Controller, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ApiProblems } from '../../../edge/http/api/description/api-traits.js';
import { Route } from '../../../edge/http/api/route-options.js';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { Context } from '../../../edge/http/auth/context.js';
import { hashSecret } from '../../../edge/http/auth/secrets.js';
import { wantsPage } from '../../../edge/http/pages/web-page.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import { ReadModelWaiter } from '../../../kernel/ports/read-models.js';
import type { Feature } from '../../../nest/features.js';
import { mcpTool } from '../../../nest/mcp-tool.js';
import { SiteAccess } from '../../sites/api/site-access.js';
import { JobQueue } from '../api/job-queue.js';
import { JobCommand } from '../job-command.js';
import { jobPath } from '../job-creator.js';
import { JobReader } from '../show-job/job-reader.js';
import { JobSnapshot, sayJob, toJobSnapshot } from '../show-job/snapshot.js';
import { decideStop } from './stop-job.decide.js';

export class StopJob extends JobCommand(decideStop) {}

const StopBody = z
  .strictObject({
    editToken: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .meta({ description: 'Edit token of the site, for HTML forms that cannot set a header.' }),
  })
  .optional();

@ApiTags('Jobs')
@Controller('v1/jobs/:id/stop')
class StopJobController {
  constructor(
    private readonly commands: CommandBus,
    private readonly readModels: ReadModelWaiter,
    private readonly reader: JobReader,
    private readonly sites: SiteAccess,
    private readonly queue: JobQueue,
    private readonly urls: ServiceUrls,
  ) {}

  @ApiOperation({
    summary: 'Stop a job',
    description:
      'The job’s processes stop within five seconds. Stopping a job that is already stopping or stopped has no effect.',
  })
  @ApiResponse({ status: 200, standardSchema: JobSnapshot, description: 'The job.' })
  @ApiResponse({ status: 303, description: 'Redirect to the job’s page, for browsers.' })
  @Route({ form: true, problemPages: true })
  @ApiProblems('job_finished')
  @Post()
  @HttpCode(200)
  async stopJob(
    @Param('id') id: string,
    @Body({ schema: StopBody }) body: z.output<typeof StopBody>,
    @Context() asked: CommandContext,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const context = withToken(asked, body?.editToken);
    const { siteId } = await this.reader.getFor(id, context.caller);
    await this.sites.assertCanEdit(siteId, context);
    const { state, position } = await this.commands.execute(new StopJob({ context, jobId: id }));
    if (state.status === 'stopped') await this.queue.remove(id);
    if (position !== null) {
      void reply.header('stele-position', String(position));
      await this.readModels.reached(position);
    }
    if (wantsPage(request)) return reply.redirect(jobPath(id), 303);
    return toJobSnapshot(await this.reader.getFor(id, context.caller), this.urls);
  }
}

const withToken = ({ at, caller }: CommandContext, token: string | undefined): CommandContext => ({
  at,
  caller: token === undefined ? caller : { ...caller, editTokenHash: hashSecret(token) },
});

const tool = mcpTool({
  name: 'stop_job',
  title: 'Stop a job',
  description: 'Stops a repository deploy that has not finished. Nothing is published, and rerun_job starts it again.',
  scope: 'publish',
  needs: 'token',
  effect: 'replaces',
  isIdempotent: true,
  quotes: true,
  route: { method: 'POST', path: '/v1/jobs/:jobId/stop', takes: ['editToken'] },
  answer: JobSnapshot,
  say: sayJob,
});

export const stopJob: Feature = { routes: [StopJobController], tools: [tool] };
