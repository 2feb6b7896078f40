import { Readable } from 'node:stream';
import { Controller, Get, Header, Inject, Logger, Param, Query, Req, Res, StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { InjectRepository } from '@nestjs/typeorm';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Repository } from 'typeorm';
import type { z } from 'zod';
import { AuditKeys } from '../../../accounts/keys/audit-keys.js';
import { ApiLines } from '../../../edge/http/api/description/api-events.js';
import { ReadYourWrites } from '../../../edge/http/api/read-your-writes.js';
import { pageOf, skipAndTake } from '../../../edge/http/api/schemas/pagination.js';
import { Context } from '../../../edge/http/auth/context.js';
import { enforceWriteTimeout } from '../../../edge/http/server/write-timeout.js';
import { siteStream } from '../../../events/site/site.events.js';
import { summaryOf } from '../../../events/site/site-summary.js';
import { preferredType } from '../../../kernel/accept-header.js';
import type { Caller, CommandContext } from '../../../kernel/command-context.js';
import { EventStore, emptyStream, type Head } from '../../../kernel/event-store.js';
import { plural } from '../../../kernel/output/quantities.js';
import { refuse } from '../../../kernel/refusal.js';
import { agentTool } from '../../../nest/agent-tool.js';
import type { Feature } from '../../../nest/features.js';
import { HistoryRow } from '../../../projections/models/history.projection.js';
import type { SiteRow } from '../../../projections/models/site.projection.js';
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
    summary: 'List or export a site’s history',
    description:
      'Returns one page of events, newest first. With `accept: application/x-ndjson`, exports the whole history instead: one line per event as stored in the log, oldest first, followed by a checkpoint signed with a key from `/.well-known/stele-audit-key`. `npm run audit -- verify FILE` verifies an export without this service, and `docs/audit.md` explains how to write another verifier. If a hash is wrong, the export ends with an unsigned line `{ "fault": … }` instead of the checkpoint.',
  })
  @ApiResponse({
    status: 200,
    standardSchema: History,
    description: 'One page of the history, or the export.',
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
    // Names are looked up and not recorded, because a person can change their name or be erased.
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
  refuse(
    'invalid_request',
    `An export always contains the whole history. Leave out ${given.map((name) => `\`${name}\``).join(', ')}.`,
    given.map((path) => ({ path, message: 'cannot be used with accept: application/x-ndjson' })),
  );
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
    summary: summaryOf({ type: row.type, schema: row.schema, data, actor }),
    data,
    hash: row.hash,
    previousHash: row.previousHash,
  };
}

const tool = agentTool({
  name: 'read_history',
  title: 'Read the history of a site',
  description:
    'Lists the events of a site, newest first. Each event has its actor, time, summary and recorded data. `since` and `until` are times (RFC 3339). `type` is one event type, or several separated by commas.',
  scope: 'read',
  needs: 'token',
  effect: 'reads',
  isIdempotent: true,
  quotes: true,
  route: { method: 'GET', path: '/v1/sites/:slug/history', query: HistoryQuery, takes: ['editToken'] },
  answer: History,
  say: ({ items, total }) =>
    total === 0
      ? 'No events match.'
      : `${plural(total, 'event')}. The newest on this page: ${items
          .slice(0, 3)
          .map(({ at, summary }) => `${at} ${JSON.stringify(summary)}`)
          .join('; ')}.`,
});

export const history: Feature = { routes: [HistoryController], providers: [ActorNames], tools: [tool] };
