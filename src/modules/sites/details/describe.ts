import { Body, Controller, Inject, Param, Patch, Res } from '@nestjs/common';
import { Command, CommandBus } from '@nestjs/cqrs';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import { type SiteEvent, siteStream } from '../../../events/site.events.js';
import { headersOfSite } from '../../../http/api/site-headers.js';
import { By, IfMatch } from '../../../http/auth/context.js';
import type { Given } from '../../../kernel/command-context.js';
import type { Outcome } from '../../../kernel/transactions.js';
import type { Feature } from '../../../process/nest/features.js';
import { handlerFor } from '../../../process/nest/handler-for.js';
import { Site as SiteAnswer } from '../show-site/show-site.js';
import { type Site, site } from '../site/site.state.js';
import { SiteAnswers } from '../site/site-answers.js';
import { SiteDirectory } from '../site/site-directory.js';
import { type DescribeSite as Described, decideDescribe } from './describe.decide.js';
import { DetailsBody } from './details-body.js';

export class DescribeSite extends Command<Outcome<Site, SiteEvent>> {
  constructor(
    readonly given: Given,
    readonly siteId: string,
    readonly details: Described['details'],
    readonly ifRevision: number | null,
  ) {
    super();
  }
}

@ApiTags('Sharing')
@Controller('v1/sites/:slug')
class DescribeController {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(SiteDirectory) private readonly directory: SiteDirectory,
    @Inject(SiteAnswers) private readonly answers: SiteAnswers,
  ) {}

  @ApiOperation({
    summary: 'Say what a site is',
    description: 'What is not sent stays as it is. For its owners.',
  })
  @ApiResponse({ status: 200, standardSchema: SiteAnswer, description: 'The site as it stands now.' })
  @Patch()
  async describeSite(
    @Param('slug') slug: string,
    @Body({ schema: DetailsBody }) details: z.output<typeof DetailsBody>,
    @By() given: Given,
    @IfMatch() ifRevision: number | null,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<z.output<typeof SiteAnswer>> {
    const { siteId } = await this.directory.get(slug, given.at);
    const outcome = await this.commands.execute(new DescribeSite(given, siteId, details, ifRevision));
    void reply.headers(headersOfSite(outcome));
    return this.answers.of(siteId, outcome);
  }
}

const DescribeSiteHandler = handlerFor(DescribeSite, {
  stream: ({ siteId }) => siteStream(siteId),
  fold: site,
  decide: decideDescribe,
  rule: ({ given, details, ifRevision }) => ({ ...given, details, ifRevision }),
});

export const describeSite: Feature = { routes: [DescribeController], handlers: [DescribeSiteHandler] };
