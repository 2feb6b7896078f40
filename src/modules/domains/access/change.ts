import { Body, Controller, HttpCode, Param, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { ApiAccess } from '../../../edge/http/api/description/api-traits.js';
import { oneAtLeast } from '../../../edge/http/api/schemas/having.js';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { siteRelatedHeaders } from '../../../edge/http/api/site-headers.js';
import { Context } from '../../../edge/http/auth/context.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import { refuseInvalid } from '../../../kernel/faults/schema-faults.js';
import type { Feature } from '../../../nest/features.js';
import { SiteAccess } from '../../sites/api/site-access.js';
import { DomainCommand } from '../domain-command.js';
import { DomainReader } from '../domain-reader.js';
import { Domain } from '../domain-response.js';
import { namedHostname } from '../named-hostname.js';
import { DomainTrail } from '../trail/domain-trail.js';
import { decideChange } from './change.decide.js';

const ChangeBody = z
  .strictObject({
    hostname: z.string().min(1),
    visibility: z.enum(['public', 'password', 'members']).nullable().optional().meta({
      description: 'Who can view the site at this domain. Overrides the site’s own setting; null removes the override.',
    }),
    hsts: z.boolean().optional().meta({
      description:
        'Whether to send a Strict-Transport-Security header that makes browsers use only HTTPS for a year. Switching it off does not affect browsers that have already received it.',
    }),
  })
  .refine(({ visibility, hsts }) => visibility !== undefined || hsts !== undefined, {
    path: ['visibility'],
    error: 'is required unless `hsts` is sent',
  })
  .meta(oneAtLeast('visibility', 'hsts'));

export class ChangeDomain extends DomainCommand(decideChange) {}

@ApiTags('Domains')
@Controller('v1/sites/:slug/domains/access')
class ChangeDomainController {
  constructor(
    private readonly commands: CommandBus,
    private readonly sites: SiteAccess,
    private readonly trail: DomainTrail,
    private readonly reader: DomainReader,
    private readonly urls: ServiceUrls,
  ) {}

  @ApiOperation({
    summary: 'Change a domain’s access settings',
    description: 'Takes effect with the next request, for this domain only. Omitted settings stay unchanged.',
  })
  @ApiResponse({ status: 200, standardSchema: Domain, description: 'The updated domain.' })
  @ApiAccess('session')
  @Post()
  @HttpCode(200)
  async setDomainAccess(
    @Param('slug') slug: string,
    @Body({ schema: ChangeBody }) { hostname: name, visibility, hsts }: z.output<typeof ChangeBody>,
    @Context() context: CommandContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<z.output<typeof Domain>> {
    const site = await this.sites.getManaged(slug, context);
    const { siteId } = site;
    const hostname = namedHostname(name, this.urls);
    if (visibility === 'password' && !site.hasPassword)
      refuseInvalid({
        path: 'visibility',
        message: 'cannot be `password` because the site has no password; set one with POST /v1/sites/{slug}/access',
      });
    const set = { ...(visibility !== undefined && { visibility }), ...(hsts !== undefined && { hsts }) };
    const { events } = await this.commands.execute(new ChangeDomain({ context, hostname, siteId, ...set }));
    const told = await this.trail.tell(hostname, events, siteId);
    if (told) void reply.headers(siteRelatedHeaders(told));
    return this.reader.fromLog(hostname, site);
  }
}

export const changeDomain: Feature = { routes: [ChangeDomainController] };
