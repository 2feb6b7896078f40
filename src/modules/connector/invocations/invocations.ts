import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { ApiLinks, fromResponse, linksOnSameSite } from '../../../edge/http/api/description/api-links.js';
import { ApiAccess } from '../../../edge/http/api/description/api-traits.js';
import { buildPageSchema, PageQuery } from '../../../edge/http/api/schemas/pagination.js';
import { Context } from '../../../edge/http/auth/context.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import { isId } from '../../../kernel/ids.js';
import { quoteId } from '../../../kernel/output/quote-id.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../nest/features.js';
import { SiteLookup } from '../../serving/api/site-lookup.js';
import { SiteAccess } from '../../sites/api/site-access.js';
import { Invocation, ListedInvocation, listedInvocation, toInvocation } from '../invocation-response.js';
import { WorkResults } from '../queue/work-results.js';

const Invocations = buildPageSchema(ListedInvocation).meta({ id: 'Invocations' });

@ApiTags('Connector')
@Controller('v1/sites/:slug/connector/invocations')
class InvocationsController {
  constructor(
    private readonly hosts: SiteLookup,
    private readonly sites: SiteAccess,
    private readonly answers: WorkResults,
  ) {}

  @ApiOperation({
    summary: 'List a site’s connector invocations',
    description:
      'Owners only. Inputs and outputs are not included, because only the caller and the agent can see them.',
  })
  @ApiResponse({ status: 200, standardSchema: Invocations, description: 'One page of invocations, newest first.' })
  @ApiLinks(...linksOnSameSite({ id: fromResponse('items/0/id') }, 'showInvocation'))
  @ApiAccess('session')
  @Get()
  async listInvocations(
    @Param('slug') slug: string,
    @Query({ schema: PageQuery }) query: z.output<typeof PageQuery>,
    @Context() context: CommandContext,
  ): Promise<z.output<typeof Invocations>> {
    const { siteId } = await this.sites.getOwned(slug, context);
    const { items, ...page } = await this.answers.page(siteId, query);
    return { items: items.map(listedInvocation), ...page };
  }

  @ApiOperation({
    summary: 'Get an invocation',
    description:
      'Available to anyone who can see the site and knows the ID, such as the caller who created the invocation. The output is kept for one day after the invocation ends.',
  })
  @ApiResponse({ status: 200, standardSchema: Invocation, description: 'Current state of the invocation.' })
  @Get(':id')
  async showInvocation(@Param('slug') slug: string, @Param('id') workId: string): Promise<z.output<typeof Invocation>> {
    const { siteId } = this.hosts.getBySlug(slug);
    const row = isId('wrk', workId) ? await this.answers.find(workId) : null;
    if (row?.siteId !== siteId) return refuse('not_found', `This site has no invocation ${quoteId(workId)}.`);
    return toInvocation(row);
  }
}

export const invocations: Feature = { routes: [InvocationsController] };
