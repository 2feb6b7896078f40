import { Body, Controller, HttpCode, Param, Post, Res } from '@nestjs/common';
import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { ApiLinks, siteLinks } from '../../../../edge/http/api/description/api-links.js';
import { ApiAccess, ApiETag, ApiProblems } from '../../../../edge/http/api/description/api-traits.js';
import { siteRevisionHeaders } from '../../../../edge/http/api/site-headers.js';
import { Context, IfMatch } from '../../../../edge/http/auth/context.js';
import { type SiteEvent, siteStream } from '../../../../events/site/site.events.js';
import { type CommandContext, toAuthor } from '../../../../kernel/command-context.js';
import { SLUG } from '../../../../kernel/slug.js';
import { type Outcome, Transactions } from '../../../../kernel/transactions.js';
import type { Feature } from '../../../../nest/features.js';
import { mcpTool } from '../../../../nest/mcp-tool.js';
import { validSlug } from '../../publish/slugs/slug-name.js';
import { Site as SiteAnswer } from '../../read/show-site/show-site.js';
import { SiteDirectory } from '../../site/site-directory.js';
import { SiteResponder } from '../../site/site-responder.js';
import { listSlugs } from '../../site/site-slugs.js';
import { type Site, site } from '../../site/state/site.state.js';
import { decideRename, type Rename } from './rename.decide.js';

const RenameBody = z.strictObject({
  slug: z.string().max(64).meta({
    description: 'New slug. It must be available or be one of the site’s former slugs.',
    pattern: SLUG.source,
  }),
});

export class RenameSite extends Command<Outcome<Site, SiteEvent>> {
  constructor(readonly input: Rename & { readonly siteId: string }) {
    super();
  }
}

/**
 * Renames a site. This writes to the streams of the new slug and the site, so it has its own handler. The slug is held
 * first, so that it can't lead to two sites.
 */
@CommandHandler(RenameSite)
class RenameSiteHandler implements ICommandHandler<RenameSite> {
  constructor(
    private readonly transactions: Transactions,
    private readonly directory: SiteDirectory,
  ) {}

  async execute({ input }: RenameSite): Promise<Outcome<Site, SiteEvent>> {
    const { context, siteId, slug } = input;
    const { state, head } = await this.directory.stateOf(siteId);
    // Check the rename before the slug is held, so that a caller who can't rename the site can't block slugs.
    decideRename(state, input, head.revision);
    if (!listSlugs(state).includes(slug)) await this.directory.holdAnew(slug, siteId, context.at);
    return this.transactions.run(siteStream(siteId), site, decideRename, input, toAuthor(context));
  }
}

@ApiTags('Sharing')
@Controller('v1/sites/:slug/rename')
class RenameController {
  constructor(
    private readonly commands: CommandBus,
    private readonly directory: SiteDirectory,
    private readonly answers: SiteResponder,
  ) {}

  @ApiOperation({
    summary: 'Rename a site',
    description:
      'Starting with the next request, every former URL of the site redirects to the new one with status 308, and the API still accepts the former slugs. Former slugs stay reserved for the site, so it can be renamed back to any of them.',
  })
  @ApiResponse({ status: 200, standardSchema: SiteAnswer, description: 'The site with its new slug.' })
  @ApiProblems('slug_taken', 'invalid_slug')
  @ApiLinks(...siteLinks)
  @ApiETag()
  @ApiAccess('session')
  @Post()
  @HttpCode(200)
  async renameSite(
    @Param('slug') slug: string,
    @Body({ schema: RenameBody }) { slug: wanted }: z.output<typeof RenameBody>,
    @Context() context: CommandContext,
    @IfMatch(decideRename) ifRevision: number | null,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<z.output<typeof SiteAnswer>> {
    validSlug(wanted);
    const { siteId } = await this.directory.get(slug, context.at);
    const outcome = await this.commands.execute(new RenameSite({ context, siteId, slug: wanted, ifRevision }));
    void reply.headers(siteRevisionHeaders(outcome));
    return this.answers.of(siteId, outcome);
  }
}

const tool = mcpTool({
  name: 'rename_site',
  title: 'Rename a site',
  description:
    'Changes the slug of the site to `newSlug`. Former URLs redirect to the new one, and the site can be renamed back. Owners only.',
  scope: 'manage',
  needs: 'person',
  effect: 'replaces',
  isIdempotent: true,
  route: {
    method: 'POST',
    path: '/v1/sites/:slug/rename',
    body: RenameBody,
    renamed: { slug: 'newSlug' },
    takes: ['ifRevision'],
  },
  answer: SiteAnswer,
  say: ({ slug, url }) => `The site is now called ${slug}, at ${url}.`,
});

export const rename: Feature = {
  routes: [RenameController],
  tools: [tool],
  handlers: [RenameSiteHandler],
  providers: [SiteResponder],
};
