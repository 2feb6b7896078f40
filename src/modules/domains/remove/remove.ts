import { Controller, Delete, HttpCode, Param, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ApiAccess } from '../../../edge/http/api/description/api-traits.js';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { siteRelatedHeaders } from '../../../edge/http/api/site-headers.js';
import { Context } from '../../../edge/http/auth/context.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import type { Feature } from '../../../nest/features.js';
import { SiteAccess } from '../../sites/api/site-access.js';
import { DomainCheckQueue } from '../check/domain-checks.js';
import { DomainCommand } from '../domain-command.js';
import { namedHostname } from '../named-hostname.js';
import { DomainTrail } from '../trail/domain-trail.js';
import { decideRemove } from './remove.decide.js';

export class RemoveDomain extends DomainCommand(decideRemove) {}

const unscheduling = new BackgroundTask('end_domain_checks');

@ApiTags('Domains')
@Controller('v1/sites/:slug/domains/:hostname')
class RemoveDomainController {
  constructor(
    private readonly commands: CommandBus,
    private readonly sites: SiteAccess,
    private readonly checks: DomainCheckQueue,
    private readonly trail: DomainTrail,
    private readonly urls: ServiceUrls,
  ) {}

  @ApiOperation({
    summary: 'Remove a domain from a site',
    description:
      'Takes effect with the next request. Remove the domain’s DNS records as well: while they point to this service, others may be able to use the domain for their own sites.',
  })
  @ApiResponse({ status: 204, description: 'The domain has been removed.' })
  @ApiAccess('session')
  @Delete()
  @HttpCode(204)
  async removeDomain(
    @Param('slug') slug: string,
    @Param('hostname') name: string,
    @Context() context: CommandContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const { siteId } = await this.sites.getManaged(slug, context);
    const hostname = namedHostname(name, this.urls);
    const { events } = await this.commands.execute(new RemoveDomain({ context, hostname, siteId }));
    // If this fails, the next check of the domain finds no claim and removes the domain from the schedule.
    await unscheduling.run(() => this.checks.remove({ hostname, siteId }));
    const told = await this.trail.tell(hostname, events, siteId);
    if (told) void reply.headers(siteRelatedHeaders(told));
  }
}

export const removeDomain: Feature = { routes: [RemoveDomainController] };
