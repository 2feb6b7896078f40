import { Body, Controller, HttpCode, Inject, Param, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ServiceUrls } from '../../../http/api/service-urls.js';
import { siteRelatedHeaders } from '../../../http/api/site-headers.js';
import { Context, IfMatch } from '../../../http/auth/context.js';
import { Idempotency } from '../../../http/limits/idempotency.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import { Ids } from '../../../kernel/ids.js';
import type { Feature } from '../../../process/nest/features.js';
import type { Site } from '../site/site.state.js';
import { SiteCommand } from '../site/site-command.js';
import { SiteDirectory } from '../site/site-directory.js';
import { decideRollback } from './rollback.decide.js';

const RollbackBody = z.strictObject({ deployId: z.string().min(1) });

const RolledBack = z
  .object({
    slug: z.string(),
    url: z.string(),
    deployId: z.string(),
    previousDeployId: z
      .string()
      .meta({ description: 'What was live until now; the same deploy when nothing changed.' }),
    rolledBackAt: z.string(),
  })
  .meta({ id: 'RolledBack' });

export class RollbackSite extends SiteCommand(decideRollback) {}

@ApiTags('History')
@Controller('v1/sites/:slug/rollback')
class RollbackController {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(SiteDirectory) private readonly directory: SiteDirectory,
    @Inject(ServiceUrls) private readonly urls: ServiceUrls,
    @Inject(Idempotency) private readonly idempotency: Idempotency,
    @Inject(Ids) private readonly ids: Ids,
  ) {}

  @ApiOperation({
    summary: 'Make an earlier deploy live again',
    description:
      'Moves a pointer: nothing is copied, nothing is deleted. Rolling back to the live deploy records nothing.',
  })
  @ApiHeader({ name: 'x-svc-edit-token', description: 'The edit token of the site.' })
  @ApiResponse({ status: 200, standardSchema: RolledBack, description: 'Live: the next request sees it.' })
  @Post()
  @HttpCode(200)
  rollback(
    @Param('slug') slug: string,
    @Body({ schema: RollbackBody }) { deployId }: z.output<typeof RollbackBody>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Context() context: CommandContext,
    @IfMatch() ifRevision: number | null,
  ) {
    return this.idempotency.run(request, reply, context, {
      makeIds: () => ({ at: context.at, rollbackId: this.ids.make('rbk') }),
      check: ({ at }) => this.directory.get(slug, at),
      prepare: async () => ({ fingerprint: () => deployId, prepared: deployId }),
      execute: async ({ at, rollbackId }, { siteId, state }) => {
        const asOf = { ...context, at };
        const command = new RollbackSite({ context: asOf, siteId, deployId, rollbackId, ifRevision });
        const outcome = await this.commands.execute(command);
        const name = state.status === 'unknown' ? slug : state.slug;
        const body: z.output<typeof RolledBack> = {
          slug: name,
          url: this.urls.site(name),
          deployId,
          previousDeployId: replacedBy(outcome.state, rollbackId) ?? deployId,
          rolledBackAt: at,
        };
        return { body, headers: siteRelatedHeaders(outcome) };
      },
    });
  }
}

/** What a rollback made way for; undefined when it had nothing to do. */
const replacedBy = (state: Site, rollbackId: string) =>
  state.status === 'live' ? state.rollbacks.find((each) => each.rollbackId === rollbackId)?.replaced : undefined;

export const rollback: Feature = { routes: [RollbackController] };
