import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiStream } from '../../../../edge/http/api/api-stream.js';
import { ApiAccess } from '../../../../edge/http/api/description/api-traits.js';
import { ReadYourWrites } from '../../../../edge/http/api/read-your-writes.js';
import { Authentication } from '../../../../edge/http/auth/authentication.js';
import { LiveStreamServer } from '../../../../edge/live/live-streams.js';
import type { Feature } from '../../../../nest/features.js';
import { HistoryEntry } from '../entry.js';
import { SiteLiveStreams } from './site-live-streams.js';

@ApiTags('History')
@Controller('v1/sites/:slug/events')
class WatchSiteController {
  constructor(
    private readonly sites: SiteLiveStreams,
    private readonly authentication: Authentication,
    private readonly live: LiveStreamServer,
  ) {}

  @ApiOperation({
    summary: 'Watch a site’s events',
    description: 'Each event is named after its type, and its data is a history entry.',
  })
  @ApiStream('All of the site’s events so far, followed by new events as they happen.', 'SiteEvent', {
    '*': HistoryEntry,
  })
  @ApiAccess('credential')
  @ReadYourWrites()
  @Get()
  async watchSite(
    @Param('slug') slug: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.live.answer(request, reply, await this.sites.of(slug, () => this.authentication.callerNow(request)));
  }
}

export const watchSite: Feature = { routes: [WatchSiteController], providers: [SiteLiveStreams] };
