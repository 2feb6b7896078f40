import { Body, Controller, Delete, Get, HttpCode, Param, Put, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { ApiLinks, linksOnSameSite } from '../../../edge/http/api/description/api-links.js';
import { ApiAccess, ApiProblems } from '../../../edge/http/api/description/api-traits.js';
import { siteRelatedHeaders } from '../../../edge/http/api/site-headers.js';
import { Context } from '../../../edge/http/auth/context.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import { refuseInvalid } from '../../../kernel/faults/schema-faults.js';
import { Ids } from '../../../kernel/ids.js';
import { Repositories } from '../../../kernel/ports/outside/repositories.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../nest/features.js';
import { type LinkedSource, RepositoryLinks } from '../../sites/api/repository-links.js';
import { assertFolders } from '../detect/root-directory.js';
import { PlanWishes, RepoBody } from '../plan.schema.js';
import { parseRepoAddress } from '../repo-address.js';
import { CRON_FIELDS, CronSchedules } from '../schedule/cron-schedules.js';

const PATIENCE_MS = 10_000;

const { url, ref, rootDirectory } = RepoBody.shape;

const linked = {
  url,
  branch: ref.meta({ description: 'Name of the branch to build; the default branch if omitted.' }),
  rootDirectory,
  plan: PlanWishes.optional().meta({ description: 'Overrides for parts of the detected build plan.' }),
  schedule: z.string().max(100).optional().meta({
    pattern: CRON_FIELDS,
    description:
      'Cron expression with five fields, in UTC, at most hourly. A scheduled build starts up to five minutes later.',
    example: '0 3 * * *',
  }),
  skipUnchanged: z.boolean().optional().meta({
    description:
      'Whether to skip scheduled builds if the live deploy was built from the branch’s current head commit. Off by default.',
  }),
};

const LinkBody = z.strictObject(linked);

const LinkedRepository = z.object({ ...linked, skipUnchanged: z.boolean() }).meta({ id: 'LinkedRepository' });

@ApiTags('Repositories')
@Controller('v1/sites/:slug/repository')
class LinkedRepositoryController {
  constructor(
    private readonly repositories: Repositories,
    private readonly links: RepositoryLinks,
    private readonly schedules: CronSchedules,
    private readonly ids: Ids,
  ) {}

  @ApiOperation({
    summary: 'Get a site’s linked repository',
    description: 'For owners and editors.',
  })
  @ApiResponse({ status: 200, standardSchema: LinkedRepository, description: 'The linked repository.' })
  @ApiProblems('not_found')
  @Get()
  async getLinkedRepository(
    @Param('slug') slug: string,
    @Context() context: CommandContext,
  ): Promise<z.output<typeof LinkedRepository>> {
    const link = await this.links.find(context, slug);
    return link === null ? refuse('not_found', 'No repository is linked to this site.') : answerOf(link);
  }

  @ApiOperation({
    summary: 'Link a repository to a site',
    description:
      'Only for owners signed in through a browser or a terminal. Replaces any repository that was linked before. Builds of the branch’s head, started with `schedule` or with POST /v1/repo/deploy and only `slug`, receive the site’s secrets, no matter who starts them. The repository is unlinked when the user who linked it is no longer an owner.',
  })
  @ApiResponse({ status: 200, standardSchema: LinkedRepository, description: 'The linked repository.' })
  @ApiProblems('repo_not_allowed', 'repo_unreachable', 'builder_unavailable')
  @ApiLinks(...linksOnSameSite({}, 'getLinkedRepository', 'unlinkRepository'))
  @ApiAccess('session')
  @Put()
  async linkRepository(
    @Param('slug') slug: string,
    @Body({ schema: LinkBody }) body: z.output<typeof LinkBody>,
    @Context() context: CommandContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<z.output<typeof LinkedRepository>> {
    await this.links.assertCanLink(context, slug);
    const outcome = await this.links.link(context, slug, await this.#admitted(body));
    void reply.headers(siteRelatedHeaders(outcome));
    return answerOf(outcome.linked ?? refuse('conflict', 'The repository was unlinked at the same time.'));
  }

  @ApiOperation({
    summary: 'Unlink a site’s repository',
    description:
      'Only for owners signed in through a browser or a terminal. Stops running builds that depend on the link.',
  })
  @ApiResponse({ status: 204, description: 'No repository is linked to the site.' })
  @ApiAccess('session')
  @Delete()
  @HttpCode(204)
  async unlinkRepository(
    @Param('slug') slug: string,
    @Context() context: CommandContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    void reply.headers(siteRelatedHeaders(await this.links.unlink(context, slug)));
  }

  async #admitted(body: z.output<typeof LinkBody>) {
    const { plan = {}, skipUnchanged = false } = body;
    const requested = parseRepoAddress(
      { url: body.url, ref: body.branch, rootDirectory: body.rootDirectory },
      'branch',
    );
    const { url } = requested;
    const branch = requested.ref ?? null;
    const rootDirectory = requested.rootDirectory ?? null;
    const schedule = body.schedule ?? null;
    assertFolders({ rootDirectory, plan });
    const fault = schedule === null ? null : this.schedules.findFault(schedule);
    if (fault !== null) return refuseInvalid({ path: 'schedule', message: fault });
    const address = { url, ref: branch, isBranch: true };
    const admitted = await this.repositories.admit(address, AbortSignal.timeout(PATIENCE_MS));
    const source = { url: admitted.url, ref: branch, rootDirectory, plan };
    return { source, schedule, skipUnchanged, linkId: this.ids.make('lnk') };
  }
}

const answerOf = ({ source, schedule, skipUnchanged }: LinkedSource): z.output<typeof LinkedRepository> => {
  const { url, ref, rootDirectory, plan } = source;
  return {
    url,
    ...(ref !== null && { branch: ref }),
    ...(rootDirectory !== null && { rootDirectory }),
    ...(Object.keys(plan).length > 0 && { plan }),
    ...(schedule !== null && { schedule }),
    skipUnchanged,
  };
};

export const linkedRepository: Feature = { routes: [LinkedRepositoryController] };
