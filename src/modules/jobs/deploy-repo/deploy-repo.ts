import { hash } from 'node:crypto';
import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ApiLinks, jobLinks } from '../../../edge/http/api/description/api-links.js';
import { ApiIdempotencyKey, ApiProblems } from '../../../edge/http/api/description/api-traits.js';
import { Route } from '../../../edge/http/api/route-options.js';
import { WellFormed } from '../../../edge/http/api/schemas/texts.js';
import { Context } from '../../../edge/http/auth/context.js';
import { hashSecret } from '../../../edge/http/auth/secrets.js';
import { Idempotency } from '../../../edge/http/limits/idempotency.js';
import { rates } from '../../../edge/http/limits/rates.js';
import type { RepoSource } from '../../../events/repo-source.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import { refuseInvalid } from '../../../kernel/faults/schema-faults.js';
import { canonical } from '../../../kernel/hashing/canonical.js';
import { Builder } from '../../../kernel/ports/outside/builder.js';
import { ImageBuilder } from '../../../kernel/ports/outside/image-builder.js';
import { Repositories } from '../../../kernel/ports/outside/repositories.js';
import { SLUG } from '../../../kernel/slug.js';
import type { Feature } from '../../../nest/features.js';
import { mcpTool } from '../../../nest/mcp-tool.js';
import { Deploys } from '../../sites/api/deploys.js';
import { RepositoryLinks } from '../../sites/api/repository-links.js';
import { assertBuilder } from '../build/assert-builder.js';
import { assertFolders } from '../detect/root-directory.js';
import { JobCreator, JobStartedResponse } from '../job-creator.js';
import { PlanWishes, RepoBody } from '../plan.schema.js';
import { parseRepoAddress } from '../repo-address.js';

const DeployRepoBody = RepoBody.extend({
  url: RepoBody.shape.url.optional().meta({
    description:
      'HTTPS URL of a public repository. If omitted, `slug` must name a site with a linked repository, which is built.',
  }),
  slug: WellFormed.optional().meta({
    description:
      'Slug of the site to deploy to: an existing site that the caller can edit, or the slug of a new site. Generated if omitted.',
    pattern: SLUG.source,
  }),
  plan: PlanWishes.optional().meta({ description: 'Overrides for parts of the detected build plan.' }),
});

type DeployRequest = z.output<typeof DeployRepoBody>;

const PATIENCE_MS = 10_000;

@ApiTags('Repositories')
@Controller('v1/repo/deploy')
class DeployRepoController {
  constructor(
    private readonly repositories: Repositories,
    private readonly builder: Builder,
    private readonly imageBuilder: ImageBuilder,
    private readonly deploys: Deploys,
    private readonly links: RepositoryLinks,
    private readonly queueing: JobCreator,
    private readonly idempotency: Idempotency,
  ) {}

  @ApiOperation({
    summary: 'Deploy a public repository',
    description:
      'Without `url`, the linked repository of the site `slug` is built. Only builds that an owner starts while signed in, and builds of the linked repository without `ref`, `rootDirectory` and `plan`, receive the site’s secrets. Queues a job and returns immediately. The job fetches the repository, detects a plan, builds it in a sandbox and publishes the result; follow it at `eventsUrl`. If `plan.kind` is given and this service cannot build it, the request fails with 503 `builder_unavailable`; if it is omitted, the job fails with that code instead.',
  })
  @ApiResponse({ status: 200, standardSchema: JobStartedResponse, description: 'The queued job.' })
  @Route({ rate: rates.anonymousDeploys })
  @ApiProblems(
    'slug_taken',
    'invalid_slug',
    'repo_unreachable',
    'repo_not_allowed',
    'plan_not_detected',
    'builder_unavailable',
    'site_not_found',
    'edit_token_invalid',
    'forbidden',
    'site_expired',
    'taken_down',
  )
  @ApiIdempotencyKey()
  @ApiLinks(...jobLinks)
  @Post()
  @HttpCode(200)
  deployRepo(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body({ schema: DeployRepoBody }) body: z.output<typeof DeployRepoBody>,
    @Context() context: CommandContext,
  ) {
    const fingerprint = hash('sha256', canonical(body));
    return this.idempotency.run(request, reply, context, {
      returnsEditToken: true,
      makeIds: () => this.queueing.makeIds(context),
      readFingerprint: async () => fingerprint,
      execute: async (ids) => {
        const { at, jobId, siteId } = ids;
        const build = await this.#build(body, context, siteId);
        const { userId } = context.caller;
        const newJob = {
          jobId,
          slug: body.slug ?? null,
          ...build,
          siteId,
          editTokenHash: userId === null ? hashSecret(ids.editToken) : null,
          owner: userId === null ? null : { memberId: ids.memberId, userId },
          network: this.queueing.networkOf(request),
        };
        const target = await this.deploys.queue({ ...context, at }, newJob);
        return { ...(await this.queueing.put('repo_deploy', ids, target, context, request)), fingerprint };
      },
    });
  }

  /** Returns the repository in the request, or the one that the site is linked to. */
  async #build(body: DeployRequest, context: CommandContext, siteId: string) {
    if (body.url === undefined) return this.#linked(body, context);
    await this.deploys.assertCanQueue(context, { slug: body.slug ?? null, siteId });
    return { source: await this.#admitted(parseRepoAddress({ ...body, url: body.url })), linkId: null };
  }

  /**
   * Finds the repository that the site is linked to. A build that overrides the link's settings does not count as a
   * build of the link.
   */
  async #linked({ slug, ref, rootDirectory, plan = {} }: DeployRequest, context: CommandContext) {
    if (slug === undefined) return refuseInvalid({ path: 'url', message: 'is required unless `slug` names a site' });
    const link = await this.links.find(context, slug);
    if (link === null)
      return refuseInvalid({ path: 'url', message: 'is required because no repository is linked to this site' });
    await this.deploys.assertCanQueue(context, { slug, siteId: '' });
    const { url, ...linked } = link.source;
    const isOverridden = ref !== undefined || rootDirectory !== undefined || Object.keys(plan).length > 0;
    const source = await this.#admitted({
      url,
      ref: ref ?? linked.ref ?? undefined,
      rootDirectory: rootDirectory ?? linked.rootDirectory ?? undefined,
      plan: { ...linked.plan, ...plan },
    });
    return { source, linkId: isOverridden ? null : link.linkId };
  }

  /**
   * Returns the repository to build, without contacting its server. A URL that is not allowed is refused here, before
   * anything is recorded.
   */
  async #admitted({ url, ref, rootDirectory, plan = {} }: DeployRequest & { url: string }): Promise<RepoSource> {
    assertFolders({ rootDirectory: rootDirectory ?? null, plan });
    if (plan.kind !== undefined)
      await assertBuilder({ builder: this.builder, imageBuilder: this.imageBuilder }, { kind: plan.kind });
    const admitted = await this.repositories.admit({ url, ref: ref ?? null }, AbortSignal.timeout(PATIENCE_MS));
    return { ...admitted, rootDirectory: rootDirectory ?? null, plan };
  }
}

const tool = mcpTool({
  name: 'deploy_repo',
  title: 'Deploy a public repository',
  description:
    'Queues a job that fetches the repository, builds it in a sandbox and publishes the result: files, a Next.js server, or an image built from a Dockerfile, whose commands run without network access. Returns immediately; call watch_job with `jobId` to follow the job. With `slug` and without `url`, the linked repository of that site is built. Without `slug`, a new site is created; if nobody is signed in, its `editToken` is returned only this once, so keep it. With the slug of a site that you can edit, the job replaces the live content (undo with rollback).',
  scope: 'publish',
  needs: 'nobody',
  effect: 'replaces',
  isIdempotent: false,
  reachesOut: true,
  route: { method: 'POST', path: '/v1/repo/deploy', body: DeployRepoBody, takes: ['editToken', 'idempotencyKey'] },
  answer: JobStartedResponse,
  say: ({ jobId, slug, claimUrl }) =>
    `${jobId} is queued for ${slug}. Call watch_job to follow it.${claimUrl ? ` Keep editToken. Whoever opens ${claimUrl} can claim the site.` : ''}`,
});

export const deployRepo: Feature = { routes: [DeployRepoController], tools: [tool] };
