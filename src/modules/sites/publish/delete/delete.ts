import { Controller, Delete, HttpCode, Param, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { siteRelatedHeaders } from '../../../../edge/http/api/site-headers.js';
import { Context, IfMatch } from '../../../../edge/http/auth/context.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import type { Feature } from '../../../../nest/features.js';
import { mcpTool } from '../../../../nest/mcp-tool.js';
import { EndingCredentials } from '../../people/tokens/ending-credentials.js';
import { SiteCommand } from '../../site/site-command.js';
import { SiteDirectory } from '../../site/site-directory.js';
import { decideDelete } from './delete.decide.js';

export class DeleteSite extends SiteCommand(decideDelete) {}

@ApiTags('Sites')
@Controller('v1/sites/:slug')
class DeleteSiteController {
  constructor(
    private readonly commands: CommandBus,
    private readonly directory: SiteDirectory,
    private readonly credentials: EndingCredentials,
  ) {}

  @ApiOperation({
    summary: 'Delete a site',
    description:
      'Starting with the next request, all of the site’s URLs, including those of past deploys, return 404. The API also returns 404 for the site. The site’s jobs are stopped, its slugs stay reserved for 30 days, and its content is removed later.',
  })
  @ApiResponse({ status: 204, description: 'The site has been permanently deleted.' })
  @Delete()
  @HttpCode(204)
  async deleteSite(
    @Param('slug') slug: string,
    @Context() context: CommandContext,
    @IfMatch(decideDelete) ifRevision: number | null,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const { siteId } = await this.directory.get(slug, context.at);
    const outcome = await this.commands.execute(new DeleteSite({ context, siteId, ifRevision }));
    await this.credentials.ofSite(siteId);
    void reply.headers(siteRelatedHeaders(outcome));
  }
}

const tool = mcpTool({
  name: 'delete_site',
  title: 'Delete a site permanently',
  description:
    'Deletes the site with all its deploys. This cannot be undone, so ask the user first. Requires `editToken`, or sign-in as an owner. Pass the `revision` from get_site as `ifRevision`.',
  scope: 'manage',
  needs: 'token',
  effect: 'replaces',
  isIdempotent: true,
  route: { method: 'DELETE', path: '/v1/sites/:slug', takes: ['editToken', 'ifRevision'] },
  answer: z.object({}),
  say: () => 'The site was deleted. Its URLs return 404.',
});

export const deleteSite: Feature = { routes: [DeleteSiteController], tools: [tool] };
