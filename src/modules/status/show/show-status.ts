import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { ApiExtension, ApiOperation, ApiProduces, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasKnownEtag } from '../../../edge/http/api/known-etag.js';
import { Route } from '../../../edge/http/api/route-options.js';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { sendKeptPage } from '../../../edge/http/pages/web-page.js';
import { preferredType } from '../../../kernel/accept-header.js';
import type { Feature } from '../../../nest/features.js';
import { StatusAnswer } from './status-answer.js';
import { type MadeAnswer, StatusAnswers } from './status-answers.js';

/** Every cache may keep it for a moment; it is the same for all callers. */
const KEPT = 'public, max-age=10';

@ApiTags('About')
@Controller()
class StatusController {
  constructor(
    @Inject(StatusAnswers) private readonly answers: StatusAnswers,
    @Inject(ServiceUrls) private readonly urls: ServiceUrls,
  ) {}

  @ApiOperation({
    summary: 'Get the service status',
    description:
      'Returns the results of probing each component from inside the service, and the incidents that the operator has reported. While the database is unavailable, the response contains the last known results and `isCurrent` is false. Components that are not set up on this service are omitted. Browsers get a page.',
  })
  @ApiResponse({
    status: 200,
    standardSchema: StatusAnswer,
    description: 'The status. The response is 200 even while components are failing.',
  })
  @ApiExtension('x-also-answers', { 'text/html': { schema: { type: 'string' } } })
  @Route({ sameForAll: true })
  @Get('status')
  async status(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    if (preferredType(request.headers.accept, ['application/json', 'text/html']) === 'application/json')
      return answer(request, reply, await this.answers.in('json'), 'application/json; charset=utf-8');
    const page = await this.answers.in('page');
    if (hasKnownEtag(request, page.etag)) return notModified(reply, page);
    const kept = { page: page.text, kept: KEPT };
    return sendKeptPage(request, reply.header('etag', page.etag), this.urls.baseUrl, kept);
  }

  @ApiOperation({ summary: 'Get the incidents as an RSS feed' })
  @ApiProduces('application/rss+xml')
  @ApiResponse({ status: 200, description: 'RSS 2.0 with one item per update.', schema: { type: 'string' } })
  @Route({ sameForAll: true })
  @Get('status.rss')
  async statusFeed(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    return answer(request, reply, await this.answers.in('feed'), 'application/rss+xml; charset=utf-8');
  }
}

function answer(request: FastifyRequest, reply: FastifyReply, made: MadeAnswer, type: string) {
  if (hasKnownEtag(request, made.etag)) return notModified(reply, made);
  return reply
    .headers({ 'content-type': type, 'cache-control': KEPT, vary: 'accept', etag: made.etag })
    .send(made.text);
}

const notModified = (reply: FastifyReply, { etag }: MadeAnswer) =>
  reply.status(304).headers({ 'cache-control': KEPT, vary: 'accept', etag }).send();

export const showStatus: Feature = { routes: [StatusController], providers: [StatusAnswers] };
