import { Body, Controller, Param, Patch, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import { ApiAccess, ApiETag } from '../../../../edge/http/api/description/api-traits.js';
import { siteRevisionHeaders } from '../../../../edge/http/api/site-headers.js';
import { Context, IfMatch } from '../../../../edge/http/auth/context.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import type { Feature } from '../../../../nest/features.js';
import { Site as SiteAnswer } from '../../read/show-site/show-site.js';
import { SiteCommand } from '../../site/site-command.js';
import { SiteDirectory } from '../../site/site-directory.js';
import { SiteResponder } from '../../site/site-responder.js';
import { decideDescribe } from './describe.decide.js';
import { DetailsBody } from './details-body.js';

export class DescribeSite extends SiteCommand(decideDescribe) {}

@ApiTags('Sharing')
@Controller('v1/sites/:slug')
class DescribeController {
  constructor(
    private readonly commands: CommandBus,
    private readonly directory: SiteDirectory,
    private readonly answers: SiteResponder,
  ) {}

  @ApiOperation({
    summary: 'Update a site’s details',
    description: 'Owners only. Omitted fields stay unchanged.',
  })
  @ApiResponse({ status: 200, standardSchema: SiteAnswer, description: 'The updated site.' })
  @ApiETag()
  @ApiAccess('session')
  @Patch()
  async describeSite(
    @Param('slug') slug: string,
    @Body({ schema: DetailsBody }) details: z.output<typeof DetailsBody>,
    @Context() context: CommandContext,
    @IfMatch(decideDescribe) ifRevision: number | null,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<z.output<typeof SiteAnswer>> {
    const { siteId } = await this.directory.get(slug, context.at);
    const outcome = await this.commands.execute(new DescribeSite({ context, siteId, details, ifRevision }));
    void reply.headers(siteRevisionHeaders(outcome));
    return this.answers.of(siteId, outcome);
  }
}

export const describeSite: Feature = { routes: [DescribeController] };
