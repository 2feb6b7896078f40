import { Controller, Get, Header, Param } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ApiAccess } from '../../../edge/http/api/description/api-traits.js';
import { Route } from '../../../edge/http/api/route-options.js';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { Context } from '../../../edge/http/auth/context.js';
import { rates } from '../../../edge/http/limits/rates.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import { DomainChecker } from '../../../kernel/ports/outside/domain-checker.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../nest/features.js';
import { SiteAccess } from '../../sites/api/site-access.js';
import { DomainReader } from '../domain-reader.js';
import { parseHostname } from '../hostname/hostname.js';
import { namedHostname } from '../named-hostname.js';
import { zoneLines } from './zone-lines.js';

@ApiTags('Domains')
@Controller('v1/sites/:slug/domains/:hostname/zone')
class ExportZoneController {
  constructor(
    private readonly sites: SiteAccess,
    private readonly reader: DomainReader,
    private readonly checker: DomainChecker,
    private readonly urls: ServiceUrls,
  ) {}

  @ApiOperation({
    summary: 'Get a domain’s DNS records as a zone file',
    description:
      'Returns the TXT record and the CNAME record in master file format (RFC 1035). At the apex of a zone, where CNAME records are not allowed, the CNAME record is replaced by address records for this service. Records and hints that do not apply to every zone are in comments.',
  })
  @ApiResponse({
    status: 200,
    content: { 'text/dns': { schema: { type: 'string' } } },
    description: 'The zone file, with one line per record.',
  })
  @Route({ rate: rates.domainChecks })
  @ApiAccess('session')
  @Get()
  @Header('content-type', 'text/dns; charset=utf-8')
  async exportZone(
    @Param('slug') slug: string,
    @Param('hostname') name: string,
    @Context() context: CommandContext,
  ): Promise<string> {
    const site = await this.sites.getManaged(slug, context);
    const hostname = namedHostname(name, this.urls);
    const answer = await this.reader.fromLog(hostname, site);
    if (answer.status === 'lost' || answer.status === 'failed')
      refuse('conflict', 'These DNS records are no longer valid. Add the domain again to get new ones.');
    const facts = await this.checker.zoneFacts({ hostname, target: answer.target.value }, new AbortController().signal);
    const isApex = facts.isApex || parseHostname(hostname, []).registrable === hostname;
    return zoneLines(answer, { ...facts, isApex });
  }
}

export const exportZone: Feature = { routes: [ExportZoneController] };
