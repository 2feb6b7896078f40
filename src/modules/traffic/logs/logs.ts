import { Readable } from 'node:stream';
import { Controller, Get, Header, Logger, Param, Query, Req, Res } from '@nestjs/common';
import { ApiExtension, ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ApiEvents, describeStream } from '../../../edge/http/api/description/api-events.js';
import { ReadYourWrites } from '../../../edge/http/api/read-your-writes.js';
import { Authentication } from '../../../edge/http/auth/authentication.js';
import { Context } from '../../../edge/http/auth/context.js';
import { preferredType } from '../../../edge/http/negotiation/accept-header.js';
import { wantsPage } from '../../../edge/http/pages/web-page.js';
import { enforceWriteTimeout } from '../../../edge/http/server/write-timeout.js';
import { resumePoint } from '../../../edge/live/clients/resume-point.js';
import { LiveStreamServer } from '../../../edge/live/live-streams.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import { plural } from '../../../kernel/output/quantities.js';
import type { Feature } from '../../../nest/features.js';
import { mcpTool } from '../../../nest/mcp-tool.js';
import { SiteAccess } from '../../sites/api/site-access.js';
import { logKinds } from '../api/log-entry.js';
import { ActivityProgress } from './activity-progress.js';
import { MAX_READ_LINES, SiteLogReader } from './log-pages.js';
import { type AskedLogs, LogsQuery } from './logs-query.js';
import { ShownEntry } from './shown-entry.js';
import { SiteLogSource } from './site-log-source.js';
import { SiteLogStreams } from './site-log-streams.js';
import { logsPath, ViewLogsController } from './view-logs.js';

const CSV = 'text/csv';

const LIVE = {
  'text/event-stream': 'eventStream',
  'application/x-ndjson': 'lines',
  'text/plain': 'text',
} as const;

const TYPES = ['application/json', CSV, 'text/event-stream', 'application/x-ndjson', 'text/plain'] as const;

const Logs = z.object({
  items: z.array(ShownEntry),
  limit: z.number().int(),
  next: z.string().nullable().meta({
    description:
      'Value of `before` for the next page, or null if there are no more entries. Because each request searches only part of a long log, a page can have fewer entries than its limit, or none at all, even if more follow.',
  }),
});

/** Event that tells a slow client which entries were skipped. IDs are strings of digits, as in the entries. */
const Skipped = z.object({ count: z.int(), after: z.string(), before: z.string() });

const asText = { schema: { type: 'string' } };

@ApiTags('Traffic')
@Controller('v1/sites/:slug/logs')
class LogsController {
  readonly #log = new Logger('Site logs');

  constructor(
    private readonly sites: SiteAccess,
    private readonly pages: SiteLogReader,
    private readonly streams: SiteLogStreams,
    private readonly progress: ActivityProgress,
    private readonly live: LiveStreamServer,
    private readonly authentication: Authentication,
  ) {}

  @ApiOperation({
    summary: 'Get a site’s logs: requests, deploys, jobs and changes',
    description: `Returns a page, newest first, or the whole log as CSV (at most ${MAX_READ_LINES.toLocaleString('en')} lines). As \`text/event-stream\`, \`application/x-ndjson\` or \`text/plain\`, the response is a stream that starts with the latest entries, oldest first, and continues with new ones. It resumes after \`Last-Event-ID\` or \`after\`. Each event is named after the kind of its entry. A client that is too slow gets \`skipped\` with \`{ count, after, before }\` instead of the entries that it missed; request a page with this \`after\` and \`before\` to get them.`,
  })
  @ApiHeader({
    name: 'last-event-id',
    required: false,
    schema: { type: 'string', pattern: '^\\d{0,15}$' },
    description: 'ID of the last entry received, for streams. Takes precedence over `after`.',
  })
  @ApiResponse({ status: 200, standardSchema: Logs, description: 'Log entries.' })
  @ApiResponse({ status: 303, description: 'Redirects browsers to the log page.' })
  @ApiExtension('x-also-answers', {
    [CSV]: asText,
    'text/event-stream': describeStream('LogEvent', 'text/event-stream'),
    'application/x-ndjson': describeStream('LogEvent', 'application/x-ndjson'),
    'text/plain': asText,
  })
  @ApiEvents('LogEvent', Object.fromEntries(logKinds.map((kind) => [kind, ShownEntry])), { skipped: Skipped })
  @ReadYourWrites()
  @Header('vary', 'accept')
  @Get()
  async logs(
    @Param('slug') slug: string,
    @Query({ schema: LogsQuery }) asked: AskedLogs,
    @Context() context: CommandContext,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const type = preferredType(request.headers.accept, TYPES);
    if (wantsPage(request)) return void reply.redirect(logsPath(slug, request.url), 303);
    const { siteId } = await this.sites.getReadable(slug, context);
    // Check the event ID for every response type, so that an invalid one is always refused, as for other streams.
    const after = resumePoint(request.headers, request.query);
    if (type === 'application/json' || type === CSV) await this.#awaitWrites(reply);
    if (type === 'application/json') return void reply.send(await this.pages.page(siteId, context.caller, asked));
    if (type === CSV) return this.#sendCsv(siteId, slug, asked, reply);

    const identify = () => this.authentication.currentCaller(request.headers);
    const stream = await this.streams.of(siteId, asked, context.caller, identify);
    this.live.follow(request, reply, stream, after, LIVE[type]);
  }

  /**
   * Waits until the site's log contains the writes that `stele-position` covers, or for two seconds. If some are still
   * missing, lowers `stele-position` accordingly.
   */
  async #awaitWrites(reply: FastifyReply): Promise<void> {
    const position = BigInt(String(reply.getHeader('stele-position') ?? 0));
    const reached = await this.progress.reached(position);
    if (reached < position) void reply.header('stele-position', String(reached));
  }

  #sendCsv(siteId: string, slug: string, asked: AskedLogs, reply: FastifyReply): void {
    enforceWriteTimeout(reply.raw);
    const body = Readable.from(this.pages.csv(siteId, asked), { objectMode: false });
    body.once('error', (error) =>
      this.#log.error(`Could not send the log of ${siteId} as CSV: ${error.message}`, error.stack),
    );
    void reply
      .header('content-disposition', `attachment; filename="${slug}-log.csv"`)
      .type(`${CSV}; charset=utf-8; header=present`)
      .send(body);
  }
}

const tool = mcpTool({
  name: 'read_site_log',
  title: 'Read a site’s log',
  description:
    'Lists requests to the site, as well as its deploys, jobs and changes, newest first. For failed requests, pass `status: "4xx,5xx"`; for missing pages, `status: "404"`. To get older entries, pass `next` from the result as `before`.',
  scope: 'read',
  needs: 'token',
  effect: 'reads',
  isIdempotent: true,
  quotes: true,
  route: {
    method: 'GET',
    path: '/v1/sites/:slug/logs',
    query: LogsQuery,
    headers: { accept: 'application/json' },
    takes: ['editToken'],
  },
  answer: Logs,
  say: ({ items, next }) => `${plural(items.length, 'entry', 'entries')}${next === null ? '' : '; more may follow'}.`,
});

export const logs: Feature = {
  tools: [tool],
  routes: [LogsController, ViewLogsController],
  providers: [SiteLogSource, SiteLogStreams, SiteLogReader, ActivityProgress],
};
