import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Not, type Repository } from 'typeorm';
import { z } from 'zod';
import type { Session } from '../../../accounts/people/sessions.js';
import { ReadYourWrites } from '../../../edge/http/api/read-your-writes.js';
import { Route } from '../../../edge/http/api/route-options.js';
import { buildPageSchema, PageQuery } from '../../../edge/http/api/schemas/pagination.js';
import { Context, RequireSession } from '../../../edge/http/auth/context.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import type { Feature } from '../../../nest/features.js';
import { mcpTool } from '../../../nest/mcp-tool.js';
import { buildMembershipFilter, MembershipRow } from '../../../projections/models/member.projection.js';
import { SiteRow } from '../../../projections/models/site.projection.js';
import { SiteAccess } from '../../sites/api/site-access.js';
import { DomainReader } from '../domain-reader.js';
import { Domain, domainStatus } from '../domain-response.js';

const Domains = buildPageSchema(Domain).meta({ id: 'Domains' });

const MyDomainsQuery = PageQuery.extend({
  status: domainStatus.optional(),
  slug: z.string().optional().meta({ description: 'Returns only this site’s domains.' }),
});

@ApiTags('Domains')
@Controller('v1/sites/:slug/domains')
class ListDomainsController {
  constructor(
    private readonly sites: SiteAccess,
    private readonly reader: DomainReader,
  ) {}

  @ApiOperation({ summary: 'List a site’s domains, newest first' })
  @ApiResponse({ status: 200, standardSchema: Domains, description: 'A page of domains.' })
  @ReadYourWrites()
  @Get()
  async listDomains(
    @Param('slug') slug: string,
    @Query({ schema: PageQuery }) query: z.output<typeof PageQuery>,
    @Context() context: CommandContext,
  ): Promise<z.output<typeof Domains>> {
    const site = await this.sites.getReadable(slug, context);
    return this.reader.page(new Map([[site.siteId, site.slug]]), query);
  }
}

@ApiTags('You')
@Controller('v1/me/domains')
class MyDomainsController {
  constructor(
    private readonly reader: DomainReader,
    @InjectRepository(MembershipRow) private readonly memberships: Repository<MembershipRow>,
    @InjectRepository(SiteRow) private readonly sites: Repository<SiteRow>,
  ) {}

  @ApiOperation({ summary: 'List the domains of all sites on which you have a role, newest first' })
  @ApiResponse({ status: 200, standardSchema: Domains, description: 'A page of domains.' })
  @Route({ tokens: 'any' })
  @ReadYourWrites()
  @Get()
  async myDomains(
    @RequireSession() { userId }: Session,
    @Context() { caller }: CommandContext,
    @Query({ schema: MyDomainsQuery }) query: z.output<typeof MyDomainsQuery>,
  ): Promise<z.output<typeof Domains>> {
    const { slug } = query;
    const roles = await this.memberships.findBy(buildMembershipFilter(userId, caller));
    const mine = await this.sites.findBy({
      siteId: In(roles.map(({ siteId }) => siteId)),
      status: Not('deleted'),
      ...(slug !== undefined && { slug }),
    });
    return this.reader.page(new Map(mine.map(({ siteId, slug }) => [siteId, slug])), query);
  }
}

const tool = mcpTool({
  name: 'list_domains',
  title: 'List a site’s domains',
  description:
    'Lists a site’s custom domains, with the DNS records that each one needs and the results of the last check.',
  scope: 'read',
  needs: 'token',
  effect: 'reads',
  isIdempotent: true,
  quotes: true,
  route: { method: 'GET', path: '/v1/sites/:slug/domains', query: PageQuery, takes: ['editToken'] },
  answer: Domains,
  say: ({ items, total }) =>
    total === 0
      ? 'The site has no custom domains.'
      : items.map(({ hostname, status }) => `${hostname} is ${status}`).join('; '),
});

export const listDomains: Feature = { routes: [ListDomainsController, MyDomainsController], tools: [tool] };
