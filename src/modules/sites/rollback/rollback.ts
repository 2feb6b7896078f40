import { Body, Controller, HttpCode, Inject, Param, Post, Req, Res } from '@nestjs/common';
import { Command, CommandBus } from '@nestjs/cqrs';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type SiteEvent, siteStream } from '../../../events/site.events.js';
import { Addresses } from '../../../http/api/service-urls.js';
import { headersAboutSite } from '../../../http/api/site-headers.js';
import { By, IfMatch } from '../../../http/auth/context.js';
import { Once } from '../../../http/limits/idempotency.js';
import type { Given } from '../../../kernel/command-context.js';
import { Ids } from '../../../kernel/ids.js';
import type { Outcome } from '../../../kernel/transactions.js';
import type { Feature } from '../../../process/nest/features.js';
import { handlerFor } from '../../../process/nest/handler-for.js';
import { type Site, site } from '../site/site.state.js';
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

export class RollbackSite extends Command<Outcome<Site, SiteEvent>> {
  constructor(
    readonly given: Given,
    readonly siteId: string,
    readonly deployId: string,
    readonly rollbackId: string,
    readonly ifRevision: number | null,
  ) {
    super();
  }
}

@ApiTags('History')
@Controller('v1/sites/:slug/rollback')
class RollbackController {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(SiteDirectory) private readonly directory: SiteDirectory,
    @Inject(Addresses) private readonly addresses: Addresses,
    @Inject(Once) private readonly once: Once,
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
    @By() given: Given,
    @IfMatch() ifRevision: number | null,
  ) {
    return this.once.run(request, reply, given, {
      makeIds: () => ({ at: given.at, rollbackId: this.ids.make('rbk') }),
      prepare: async () => ({ fingerprint: () => deployId, prepared: deployId }),
      execute: async ({ at, rollbackId }) => {
        const { siteId, state } = await this.directory.get(slug, at);
        const command = new RollbackSite({ ...given, at }, siteId, deployId, rollbackId, ifRevision);
        const outcome = await this.commands.execute(command);
        const name = state.status === 'unknown' ? slug : state.slug;
        const body: z.output<typeof RolledBack> = {
          slug: name,
          url: this.addresses.site(name),
          deployId,
          previousDeployId: replacedBy(outcome.state, rollbackId) ?? deployId,
          rolledBackAt: at,
        };
        return { body, headers: headersAboutSite(outcome) };
      },
    });
  }
}

/** What a rollback made way for; undefined when it had nothing to do. */
const replacedBy = (state: Site, rollbackId: string) =>
  state.status === 'live' ? state.rollbacks.find((each) => each.rollbackId === rollbackId)?.replaced : undefined;

const RollbackSiteHandler = handlerFor(RollbackSite, {
  stream: ({ siteId }) => siteStream(siteId),
  fold: site,
  decide: decideRollback,
  rule: ({ given, deployId, rollbackId, ifRevision }) => ({ ...given, deployId, rollbackId, ifRevision }),
});

export const rollback: Feature = { routes: [RollbackController], handlers: [RollbackSiteHandler] };
