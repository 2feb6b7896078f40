import { Readable } from 'node:stream';
import { Controller, Get, Header, Inject, Logger, Param, Query, Req, Res, StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { InjectRepository } from '@nestjs/typeorm';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Repository } from 'typeorm';
import type { z } from 'zod';
import { siteStream } from '../../../events/site/site.events.js';
import { summaryOf } from '../../../events/site/site-summary.js';
import { ApiLines } from '../../../http/api/description/api-events.js';
import { ReadYourWrites } from '../../../http/api/read-your-writes.js';
import { pageOf, skipAndTake } from '../../../http/api/schemas/pagination.js';
import { Context } from '../../../http/auth/context.js';
import { enforceWriteTimeout } from '../../../http/server/write-timeout.js';
import { preferredType } from '../../../kernel/accept-header.js';
import type { Caller, CommandContext } from '../../../kernel/command-context.js';
import { EventStore, emptyStream, type Head } from '../../../kernel/event-store.js';
import { refuseInvalid } from '../../../kernel/faults/schema-faults.js';
import { plural } from '../../../kernel/output/quantities.js';
import { agentTool } from '../../../process/nest/agent-tool.js';
import type { Feature } from '../../../process/nest/features.js';
import { HistoryRow } from '../../../projections/models/history.projection.js';
import type { SiteRow } from '../../../projections/models/site.projection.js';
import { AuditKeys } from '../../../tables/keys/audit-keys.js';
import { SiteReader } from '../site/site-reader.js';
import { ActorNames } from './actor-names.js';
import { HistoryEntry } from './entry.js';
import { exported } from './export.js';
import { ExportedLine } from './exported-line.js';
import { filtered, HistoryQuery, partial } from './history-query.js';
import { namedIn, withNames } from './named-entry.js';

const LINES = 'application/x-ndjson';

const History = pageOf(HistoryEntry);

@ApiTags('History')
@Controller('v1/sites/:slug/history')
class HistoryController {
  readonly #log = new Logger('History');

  constructor(
    @Inject(SiteReader) private readonly reader: SiteReader,
    @InjectRepository(HistoryRow) private readonly entries: Repository<HistoryRow>,
    @Inject(EventStore) private readonly store: EventStore,
    @Inject(ActorNames) private readonly names: ActorNames,
    @Inject(AuditKeys) private readonly keys: AuditKeys,
  ) {}

  @ApiOperation({
    summary: 'List the history of a site, or export it for verification',
    description:
      'Returns a page of events, newest first. With `accept: application/x-ndjson`, returns the whole history, oldest first: one line per event as it is stored, then a checkpoint signed with a key from `/.well-known/stele-audit-key`. `npm run audit -- verify FILE` verifies it without this service; `docs/audit.md` describes the format. If the hash chain is broken, the last line is `{ "fault": … }` without a signature.',
  })
  @ApiResponse({
    status: 200,
    standardSchema: History,
    description: 'One page of events, or the whole history.',
  })
  @ApiLines('HistoryLine', LINES, ExportedLine)
  @ReadYourWrites()
  @Header('vary', 'accept')
  @Get()
  async history(
    @Param('slug') slug: string,
    @Query({ schema: HistoryQuery }) query: z.output<typeof HistoryQuery>,
    @Context() { caller }: CommandContext,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<z.output<typeof History> | StreamableFile> {
    const asLines = preferredType(request.headers.accept, ['application/json', LINES]) === LINES;
    if (asLines) refusePart(request.query);
    const site = await this.reader.getFor(slug, caller);
    if (!asLines) return this.#page(site, caller, query);
    enforceWriteTimeout(reply.raw);
    return this.#whole(site);
  }

  async #page(
    { siteId }: SiteRow,
    caller: Caller,
    query: z.output<typeof HistoryQuery>,
  ): Promise<z.output<typeof History>> {
    const { skip, take } = skipAndTake(query);
    const [rows, total] = await filtered(this.entries.createQueryBuilder('entry').where({ siteId }), query)
      .orderBy('entry.revision', 'DESC')
      .skip(skip)
      .take(take)
      .getManyAndCount();
    const entries = rows.map(historyEntryOf);
    // Names stand beside the actor, who is hashed: a person may take another, or be erased.
    const names = await this.names.of(siteId, caller, entries.flatMap(namedIn));
    return { items: entries.map((entry) => withNames(entry, names)), page: query.page, limit: query.limit, total };
  }

  async #whole({ siteId, slug }: SiteRow): Promise<StreamableFile> {
    const stream = siteStream(siteId);
    const lines = exported({
      stream,
      seen: await this.#seen(siteId),
      pages: this.store.raw(stream),
      sign: (text) => this.keys.sign(text),
      now: () => new Date().toISOString(),
      onBreak: ({ detail }) => this.#log.error(`${stream}: ${detail}`),
    });
    const body = Readable.from(lines, { objectMode: false });
    body.once('error', (error) => this.#log.error(`${stream}: ${error.message}`, error.stack));
    return new StreamableFile(body, { type: LINES, disposition: `attachment; filename="${slug}-history.ndjson"` });
  }

  /** A read model follows the log and never runs ahead of it: what it has, the log has had. */
  async #seen(siteId: string): Promise<Head> {
    const last = await this.entries.findOne({ where: { siteId }, order: { revision: 'desc' } });
    return last ?? emptyStream;
  }
}

function refusePart(query: unknown) {
  const given = Object.keys(query ?? {}).filter((name) => partial.includes(name));
  if (given.length === 0) return;
  const message = 'cannot be used with accept: application/x-ndjson, which exports the whole history';
  refuseInvalid(...given.map((path) => ({ path, message })));
}

function historyEntryOf(row: HistoryRow): z.output<typeof HistoryEntry> {
  const data: Record<string, unknown> = JSON.parse(row.data);
  const actor: Record<string, string> = JSON.parse(row.actor);
  return {
    id: row.id,
    stream: siteStream(row.siteId),
    revision: row.revision,
    position: row.position,
    type: row.type,
    schema: row.schema,
    at: row.at.toISOString(),
    actor,
    summary: summaryOf({ type: row.type, data, actor }),
    data,
    hash: row.hash,
    previousHash: row.previousHash,
  };
}

const tool = agentTool({
  name: 'read_history',
  title: 'Read the history of a site',
  description:
    'Lists the events of a site, newest first, each with its actor, time, summary and data. Filter by time with `since` and `until` (RFC 3339), and by one or more event types, separated by commas, with `type`.',
  scope: 'read',
  needs: 'token',
  effect: 'reads',
  isIdempotent: true,
  quotes: true,
  route: { method: 'GET', path: '/v1/sites/:slug/history', query: HistoryQuery, takes: ['editToken'] },
  answer: History,
  say: ({ items, total }) =>
    total === 0
      ? 'No events found.'
      : `${plural(total, 'event')}. The newest on this page: ${items
          .slice(0, 3)
          .map(({ at, summary }) => `${at} ${JSON.stringify(summary)}`)
          .join('; ')}.`,
});

export const history: Feature = { routes: [HistoryController], providers: [ActorNames], tools: [tool] };
