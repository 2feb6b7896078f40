import { Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { z } from 'zod';
import { ApiLinks, domainLinks } from '../../../edge/http/api/description/api-links.js';
import { ApiAccess } from '../../../edge/http/api/description/api-traits.js';
import { Route } from '../../../edge/http/api/route-options.js';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { Context } from '../../../edge/http/auth/context.js';
import { rates } from '../../../edge/http/limits/rates.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import type { Feature } from '../../../nest/features.js';
import { SiteAccess } from '../../sites/api/site-access.js';
import { DomainReader } from '../domain-reader.js';
import { Domain } from '../domain-response.js';
import { namedHostname } from '../named-hostname.js';
import { DomainCheckScheduler } from './domain-check-scheduler.js';

@ApiTags('Domains')
@Controller('v1/sites/:slug/domains/:hostname')
class CheckDomainController {
  constructor(
    private readonly sites: SiteAccess,
    private readonly checking: DomainCheckScheduler,
    private readonly reader: DomainReader,
    private readonly urls: ServiceUrls,
  ) {}

  @ApiOperation({
    summary: 'Check a domain’s DNS records now',
    description:
      'Returns, for each record, what was expected, what was found and what to do. A domain is checked at most once every 5 seconds; requests in between return the previous result.',
  })
  @ApiResponse({ status: 200, standardSchema: Domain, description: 'The domain, with the results of the check.' })
  @Route({ rate: rates.domainChecks })
  @ApiLinks(...domainLinks)
  @ApiAccess('session')
  @Post()
  @HttpCode(200)
  async checkDomain(
    @Param('slug') slug: string,
    @Param('hostname') name: string,
    @Context() context: CommandContext,
  ): Promise<z.output<typeof Domain>> {
    const site = await this.sites.getManaged(slug, context);
    const hostname = namedHostname(name, this.urls);
    // Before checking anything, refuse a hostname that the site does not have.
    const { status } = await this.reader.fromLog(hostname, site);
    if (status === 'pending' || status === 'active')
      await this.checking.now({ hostname, siteId: site.siteId }, context);
    return this.reader.fromLog(hostname, site);
  }
}

export const checkDomain: Feature = { routes: [CheckDomainController] };
