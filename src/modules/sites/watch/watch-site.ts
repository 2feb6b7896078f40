import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiStream } from '../../../edge/api-stream.js';
import { By } from '../../../edge/caller.js';
import { ReadYourWrites } from '../../../edge/read-your-writes.js';
import type { Given } from '../../../kernel/caller.js';
import { LiveStreams } from '../../../live/live-streams.js';
import type { Feature } from '../../../wiring/features.js';
import { WatchedSites } from './watched-sites.js';

@ApiTags('History')
@Controller('v1/sites/:slug/events')
class WatchSiteController {
  constructor(
    @Inject(WatchedSites) private readonly sites: WatchedSites,
    @Inject(LiveStreams) private readonly live: LiveStreams,
  ) {}

  @ApiOperation({
    summary: 'The history of a site, as it happens',
    description: 'Each event is named by its type; its data is an entry of the history.',
  })
  @ApiHeader({ name: 'x-svc-edit-token', description: 'The edit token of the site.' })
  @ApiStream('The site’s events from its first, then whatever comes.', { $ref: '#/components/schemas/HistoryEntry' })
  @ReadYourWrites()
  @Get()
  async watchSite(
    @Param('slug') slug: string,
    @By() { caller }: Given,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.live.answer(request, reply, await this.sites.of(slug, caller));
  }
}

export const watchSite: Feature = { routes: [WatchSiteController], providers: [WatchedSites] };
