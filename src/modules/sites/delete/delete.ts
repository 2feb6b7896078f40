import { Controller, Delete, HttpCode, Inject, Param, Res } from '@nestjs/common';
import { Command, CommandBus } from '@nestjs/cqrs';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { type SiteEvent, siteStream } from '../../../events/site.events.js';
import { headersAboutSite } from '../../../http/api/site-headers.js';
import { By, IfMatch } from '../../../http/auth/context.js';
import type { Given } from '../../../kernel/command-context.js';
import type { Outcome } from '../../../kernel/transactions.js';
import type { Feature } from '../../../process/nest/features.js';
import { handlerFor } from '../../../process/nest/handler-for.js';
import { type Site, site } from '../site/site.state.js';
import { SiteDirectory } from '../site/site-directory.js';
import { decideDelete } from './delete.decide.js';

export class DeleteSite extends Command<Outcome<Site, SiteEvent>> {
  constructor(
    readonly given: Given,
    readonly siteId: string,
    readonly ifRevision: number | null,
  ) {
    super();
  }
}

@ApiTags('Sites')
@Controller('v1/sites/:slug')
class DeleteSiteController {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(SiteDirectory) private readonly directory: SiteDirectory,
  ) {}

  @ApiOperation({
    summary: 'Delete a site',
    description:
      'All its addresses answer 404 from the next request on, past deploys too, and so does the API. Its jobs are stopped, its slugs are kept from others for 30 days, and its content is removed later.',
  })
  @ApiHeader({ name: 'x-svc-edit-token', description: 'The edit token of a site that is nobody’s.' })
  @ApiResponse({ status: 204, description: 'Gone, for good.' })
  @Delete()
  @HttpCode(204)
  async deleteSite(
    @Param('slug') slug: string,
    @By() given: Given,
    @IfMatch() ifRevision: number | null,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const { siteId } = await this.directory.get(slug, given.at);
    const outcome = await this.commands.execute(new DeleteSite(given, siteId, ifRevision));
    void reply.headers(headersAboutSite(outcome));
  }
}

const DeleteSiteHandler = handlerFor(DeleteSite, {
  stream: ({ siteId }) => siteStream(siteId),
  fold: site,
  decide: decideDelete,
  rule: ({ given, ifRevision }) => ({ ...given, ifRevision }),
});

export const deleteSite: Feature = { routes: [DeleteSiteController], handlers: [DeleteSiteHandler] };
