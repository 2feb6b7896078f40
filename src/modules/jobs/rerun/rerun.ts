import { Controller, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ApiLinks, jobLinks } from '../../../edge/http/api/description/api-links.js';
import { ApiIdempotencyKey, ApiProblems } from '../../../edge/http/api/description/api-traits.js';
import { Route } from '../../../edge/http/api/route-options.js';
import { Context } from '../../../edge/http/auth/context.js';
import { Idempotency } from '../../../edge/http/limits/idempotency.js';
import { rates } from '../../../edge/http/limits/rates.js';
import { wantsPage } from '../../../edge/http/pages/web-page.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import { Repositories } from '../../../kernel/ports/outside/repositories.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../nest/features.js';
import { mcpTool } from '../../../nest/mcp-tool.js';
import { Deploys } from '../../sites/api/deploys.js';
import { JobCreator, JobStartedResponse, jobPath } from '../job-creator.js';

@ApiTags('Repositories')
@Controller('v1/sites/:slug/rerun')
class RerunController {
  constructor(
    private readonly repositories: Repositories,
    private readonly deploys: Deploys,
    private readonly queueing: JobCreator,
    private readonly idempotency: Idempotency,
  ) {}

  @ApiOperation({
    summary: 'Repeat a site’s last repository deploy',
    description:
      'Deploys the current content of the repository, whether or not the last job succeeded. The build receives secrets only if an owner reruns it while signed in, or if it is a build of the linked repository.',
  })
  @ApiResponse({ status: 200, standardSchema: JobStartedResponse, description: 'The queued job.' })
  @ApiResponse({ status: 303, description: 'Redirect to the job’s page, for browsers.' })
  @Route({ form: true, problemPages: true, rate: rates.redeploys })
  @ApiProblems('nothing_to_rerun', 'builder_unavailable')
  @ApiIdempotencyKey()
  @ApiLinks(...jobLinks)
  @Post()
  @HttpCode(200)
  async rerun(
    @Param('slug') slug: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Context() context: CommandContext,
  ) {
    const job = await this.idempotency.run(request, reply, context, {
      makeIds: () => this.queueing.makeIds(context),
      readFingerprint: async () => NO_BODY,
      execute: async (ids) => {
        if (this.repositories.missing !== null) refuse('builder_unavailable', this.repositories.missing);
        const target = await this.deploys.queueAgain({ ...context, at: ids.at }, slug, ids.jobId);
        return { ...(await this.queueing.put('rerun', ids, target, context, request)), fingerprint: NO_BODY };
      },
    });
    return wantsPage(request) ? reply.redirect(jobPath((job as Started).jobId), 303) : job;
  }
}

/** Fingerprint of the request body for the idempotency key. The request has no body. */
const NO_BODY = '';

type Started = z.output<typeof JobStartedResponse>;

const tool = mcpTool({
  name: 'rerun_job',
  title: 'Repeat a site’s last repository deploy',
  description:
    'Queues a job that deploys the current content of the repository that the site was last deployed from, and replaces the live content (undo with rollback). Call watch_job next.',
  scope: 'publish',
  needs: 'token',
  effect: 'replaces',
  isIdempotent: false,
  reachesOut: true,
  route: { method: 'POST', path: '/v1/sites/:slug/rerun', takes: ['editToken', 'idempotencyKey'] },
  answer: JobStartedResponse,
  say: ({ jobId, slug }) => `${jobId} is queued for ${slug}. Call watch_job to follow it.`,
});

export const rerun: Feature = { routes: [RerunController], tools: [tool] };
