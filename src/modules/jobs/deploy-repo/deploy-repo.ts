import { hash } from 'node:crypto';
import { Body, Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { RepoSource } from '../../../events/repo-source.js';
import { ApiIdempotencyKey, ApiProblems } from '../../../http/api/description/api-traits.js';
import { Route } from '../../../http/api/route-options.js';
import { Context } from '../../../http/auth/context.js';
import { hashSecret } from '../../../http/auth/secrets.js';
import { Idempotency } from '../../../http/limits/idempotency.js';
import { rates } from '../../../http/limits/rates.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import { canonical } from '../../../kernel/hashing/canonical.js';
import { JobSites } from '../../../kernel/ports/job-sites.js';
import { Builder } from '../../../kernel/ports/outside/builder.js';
import { ImageBuilder } from '../../../kernel/ports/outside/image-builder.js';
import { Repositories } from '../../../kernel/ports/outside/repositories.js';
import { SLUG } from '../../../kernel/slug.js';
import { agentTool } from '../../../process/nest/agent-tool.js';
import type { Feature } from '../../../process/nest/features.js';
import { expectBuilder } from '../build/expect-builder.js';
import { rootDirectoryOf } from '../detect/root-directory.js';
import { PlanWishes, RepoBody } from '../plan.schema.js';
import { JobStartedAnswer, Queueing } from '../queueing.js';

const DeployRepoBody = RepoBody.extend({
  slug: z
    .string()
    .optional()
    .meta({ description: 'Names a new site, or a site that the caller may deploy.', pattern: SLUG.source }),
  plan: PlanWishes.optional().meta({ description: 'Overrides what is detected.' }),
});

const PATIENCE_MS = 10_000;

@ApiTags('Repositories')
@Controller('v1/repo/deploy')
class DeployRepoController {
  constructor(
    @Inject(Repositories) private readonly repositories: Repositories,
    @Inject(Builder) private readonly builder: Builder,
    @Inject(ImageBuilder) private readonly imageBuilder: ImageBuilder,
    @Inject(JobSites) private readonly sites: JobSites<RepoSource>,
    @Inject(Queueing) private readonly queueing: Queueing,
    @Inject(Idempotency) private readonly idempotency: Idempotency,
  ) {}

  @ApiOperation({
    summary: 'Deploy a public repository',
    description:
      'Answers at once; the job copies, detects, builds in a sandbox and publishes, and everything it does can be followed at `eventsUrl`. 503 `builder_unavailable` where `plan.kind` is given and cannot be served; without it the job fails with that code.',
  })
  @ApiResponse({ status: 200, standardSchema: JobStartedAnswer, description: 'The job is queued.' })
  @Route({ rate: rates.anonymousDeploys })
  @ApiProblems(
    'slug_taken',
    'invalid_slug',
    'repo_unreachable',
    'repo_not_allowed',
    'plan_not_detected',
    'builder_unavailable',
    'edit_token_invalid',
    'forbidden',
    'site_expired',
    'taken_down',
  )
  @ApiIdempotencyKey()
  @Post()
  @HttpCode(200)
  deployRepo(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body({ schema: DeployRepoBody }) body: z.output<typeof DeployRepoBody>,
    @Context() context: CommandContext,
  ) {
    return this.idempotency.run(request, reply, context, {
      makeIds: () => this.queueing.makeIds(context),
      // Not where the first answer is given again: DNS may not know a host today.
      check: async ({ siteId }) => {
        await this.sites.assertCanQueue(context, { slug: body.slug ?? null, siteId });
        return this.#admitted(body);
      },
      prepare: async () => ({ fingerprint: () => hash('sha256', canonical(body)), prepared: null }),
      execute: async (ids, source) => {
        const { at, jobId, siteId } = ids;
        const { userId } = context.caller;
        const newJob = {
          jobId,
          slug: body.slug ?? null,
          source,
          siteId,
          editTokenHash: userId === null ? hashSecret(ids.editToken) : null,
          owner: userId === null ? null : { memberId: ids.memberId, userId },
        };
        const target = await this.sites.queue({ ...context, at }, newJob);
        return this.queueing.put('repo_deploy', ids, target, context, request);
      },
    });
  }

  /** Checks what can be seen of an address without asking its server. Of one that is not allowed nothing is recorded. */
  async #admitted({ url, ref, rootDirectory, plan = {} }: z.output<typeof DeployRepoBody>): Promise<RepoSource> {
    rootDirectoryOf(rootDirectory ?? null);
    for (const member of ['rootDirectory', 'outputDirectory', 'dockerfile'] as const)
      rootDirectoryOf(plan[member] ?? null, `plan.${member}`);
    if (plan.kind !== undefined)
      await expectBuilder({ builder: this.builder, imageBuilder: this.imageBuilder }, { kind: plan.kind });
    const admitted = await this.repositories.admit({ url, ref: ref ?? null }, AbortSignal.timeout(PATIENCE_MS));
    return { ...admitted, rootDirectory: rootDirectory ?? null, plan };
  }
}

const tool = agentTool({
  name: 'deploy_repo',
  title: 'Deploy a public repository',
  description:
    'Puts a job into the queue that copies, builds in a sandbox and publishes: files, the server that Next.js makes, or the image of a Dockerfile (whose commands have no network); it answers at once. Call watch_job with `jobId` to see how it goes. Without `slug` a new site is made, whose `editToken` is told this once: keep it. With the slug of a site that you may edit, the job replaces what it shows (rollback undoes that).',
  scope: 'publish',
  needs: 'nobody',
  effect: 'replaces',
  isIdempotent: false,
  reachesOut: true,
  route: { method: 'POST', path: '/v1/repo/deploy', body: DeployRepoBody, takes: ['editToken', 'idempotencyKey'] },
  answer: JobStartedAnswer,
  say: ({ jobId, slug, claimUrl }) =>
    `${jobId} is queued for ${slug}: call watch_job.${claimUrl ? ` Keep editToken. Whoever opens ${claimUrl} makes the site theirs.` : ''}`,
});

export const deployRepo: Feature = { routes: [DeployRepoController], tools: [tool] };
