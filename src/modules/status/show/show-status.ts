import { hash } from 'node:crypto';
import { Controller, Get, Injectable, Req, Res } from '@nestjs/common';
import { ApiExtension, ApiOperation, ApiProduces, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Feed } from 'feed';
import { ApiETag } from '../../../edge/http/api/description/api-traits.js';
import { hasKnownEtag } from '../../../edge/http/api/known-etag.js';
import { Route } from '../../../edge/http/api/route-options.js';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { preferredType } from '../../../edge/http/negotiation/accept-header.js';
import { sendKeptPage } from '../../../edge/http/pages/web-page.js';
import type { Feature } from '../../../nest/features.js';
import { StatusSettings } from '../../../settings/status-settings.js';
import { StatusBoard } from '../board/status-board.js';
import type { StatusSnapshot } from '../board/status-snapshot.js';
import type { Incident } from '../incidents/incidents.js';
import { renderMarkdown } from '../incidents/markdown.js';
import { statusPage } from './status.page.js';
import { StatusResponse, toStatusResponse } from './status-response.js';

const MOST_ITEMS = 50;

/** The feed has one item per incident update, newest first. */
function statusFeed(incidents: readonly Incident[], statusUrl: string, feedUrl: string): string {
  const items = incidents
    .flatMap(({ id, title, updates }) =>
      // Updates are numbered from the oldest one, so that each keeps its number when others are added.
      updates.map((update, n) => ({ ...update, id, title, number: updates.length - n })),
    )
    .toSorted((a, b) => b.at.getTime() - a.at.getTime())
    .slice(0, MOST_ITEMS);
  const feed = new Feed({
    title: 'Stele: incidents',
    description: 'Incidents at this service and updates about them.',
    link: statusUrl,
    language: 'en',
    feed: feedUrl,
    generator: false,
    updated: items[0]?.at ?? new Date(0),
  });
  // Titles are escaped, because many feed readers interpret them as HTML.
  for (const { id, number, title, status, at, body } of items)
    feed.addItem({
      title: `${title.replaceAll('&', '&amp;').replaceAll('<', '&lt;')} (${status})`,
      link: `${statusUrl}#${id}`,
      guid: `${id}-${number}`,
      date: at,
      description: renderMarkdown(body).markup,
    });
  return feed.rss2();
}

type CachedStatusResponse = { readonly text: string; readonly etag: string };

type Form = 'page' | 'json' | 'feed';

/**
 * Builds the status page, its feed and its JSON. Each is built once and reused for all callers until the status
 * changes.
 */
@Injectable()
class StatusResponder {
  #made: { readonly of: StatusSnapshot; readonly forms: Map<Form, CachedStatusResponse> } | null = null;

  constructor(
    private readonly board: StatusBoard,
    private readonly settings: StatusSettings,
    private readonly urls: ServiceUrls,
  ) {}

  async in(form: Form): Promise<CachedStatusResponse> {
    const snapshot = await this.board.current();
    if (this.#made?.of !== snapshot) this.#made = { of: snapshot, forms: new Map() };
    const { forms } = this.#made;
    const known = forms.get(form);
    if (known) return known;
    const text = this.#write(form, snapshot);
    const made = { text, etag: `"${hash('sha256', text, 'base64url').slice(0, 22)}"` };
    forms.set(form, made);
    return made;
  }

  #write(form: Form, snapshot: StatusSnapshot): string {
    const { everyMs } = this.settings;
    const { statusUrl } = this.urls;
    const feedUrl = `${statusUrl}.rss`;
    switch (form) {
      case 'page':
        return statusPage(snapshot, everyMs, feedUrl);
      case 'json':
        return JSON.stringify(toStatusResponse(snapshot, { everyMs, feedUrl }));
      case 'feed':
        return statusFeed(snapshot.incidents, statusUrl, feedUrl);
    }
  }
}

/** All caches can keep the response briefly, because it is the same for all callers. */
const KEPT = 'public, max-age=10';

@ApiTags('About')
@Controller()
class StatusController {
  constructor(
    private readonly answers: StatusResponder,
    private readonly urls: ServiceUrls,
  ) {}

  @ApiOperation({
    summary: 'Get the service status',
    description:
      'Returns the results of probing each component from inside the service, and the incidents that the operator has reported. While the database is unavailable, the response contains the last known results and `isCurrent` is false. Components that are not set up on this service are omitted. Browsers get a page.',
  })
  @ApiResponse({
    status: 200,
    standardSchema: StatusResponse,
    description: 'The status. The response is 200 even while components are failing.',
  })
  @ApiExtension('x-also-answers', { 'text/html': { schema: { type: 'string' } } })
  @Route({ sameForAll: true })
  @ApiETag()
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
  @ApiETag()
  @Get('status.rss')
  async statusFeed(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    return answer(request, reply, await this.answers.in('feed'), 'application/rss+xml; charset=utf-8');
  }
}

function answer(request: FastifyRequest, reply: FastifyReply, made: CachedStatusResponse, type: string) {
  if (hasKnownEtag(request, made.etag)) return notModified(reply, made);
  return reply
    .headers({ 'content-type': type, 'cache-control': KEPT, vary: 'accept', etag: made.etag })
    .send(made.text);
}

const notModified = (reply: FastifyReply, { etag }: CachedStatusResponse) =>
  reply.status(304).headers({ 'cache-control': KEPT, vary: 'accept', etag }).send();

export const showStatus: Feature = { routes: [StatusController], providers: [StatusResponder] };
