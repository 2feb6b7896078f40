import { Body, Controller, HttpCode, Param, Post, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBearerAuth, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ApiProblems } from '../../../../edge/http/api/description/api-traits.js';
import { Route } from '../../../../edge/http/api/route-options.js';
import { WellFormed } from '../../../../edge/http/api/schemas/texts.js';
import { Context } from '../../../../edge/http/auth/context.js';
import { Operator } from '../../../../edge/http/auth/operator.js';
import type { ActorContext, CommandContext } from '../../../../kernel/command-context.js';
import type { Feature } from '../../../../nest/features.js';
import { SiteCommand } from '../../site/site-command.js';
import { SiteDirectory } from '../../site/site-directory.js';
import { decideRestore, decideTakeDown } from './take-down.decide.js';

const TakeDownBody = z.strictObject({ reason: WellFormed.min(1).max(1000) });

const TakenDown = z.object({ slug: z.string(), takenDown: z.boolean() }).meta({ id: 'TakenDown' });

export class TakeDownSite extends SiteCommand(decideTakeDown) {}

export class RestoreSite extends SiteCommand(decideRestore) {}

@ApiTags('Operator')
@ApiBearerAuth()
@Controller('v1/admin/sites/:slug')
class TakeDownController {
  constructor(
    private readonly operator: Operator,
    private readonly directory: SiteDirectory,
    private readonly commands: CommandBus,
  ) {}

  @ApiOperation({ summary: 'Take down a site', description: 'All of the site’s URLs return 451. The content is kept.' })
  @ApiResponse({ status: 200, standardSchema: TakenDown, description: 'The site has been taken down.' })
  @ApiProblems('site_not_found')
  @Route({ operator: true })
  @Post('takedown')
  @HttpCode(200)
  async takeDown(
    @Param('slug') slug: string,
    @Body({ schema: TakeDownBody }) { reason }: z.output<typeof TakeDownBody>,
    @Req() request: FastifyRequest,
    @Context() { at }: CommandContext,
  ): Promise<z.output<typeof TakenDown>> {
    this.operator.assertCallerOf(request);
    const { siteId } = await this.directory.get(slug, at);
    await this.commands.execute(new TakeDownSite({ context: byOperator(at), siteId, reason }));
    return { slug, takenDown: true };
  }

  @ApiOperation({ summary: 'Restore a site that was taken down' })
  @ApiResponse({ status: 200, standardSchema: TakenDown, description: 'The site has been restored.' })
  @ApiProblems('site_not_found')
  @Route({ operator: true })
  @Post('restore')
  @HttpCode(200)
  async restore(
    @Param('slug') slug: string,
    @Req() request: FastifyRequest,
    @Context() { at }: CommandContext,
  ): Promise<z.output<typeof TakenDown>> {
    this.operator.assertCallerOf(request);
    const { siteId } = await this.directory.get(slug, at);
    await this.commands.execute(new RestoreSite({ context: byOperator(at), siteId }));
    return { slug, takenDown: false };
  }
}

const byOperator = (at: string): ActorContext => ({ at, actor: { kind: 'system', name: 'operator' } });

export const takeDown: Feature = { routes: [TakeDownController] };
