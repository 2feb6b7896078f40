import { Readable } from 'node:stream';
import { Controller, Get, Header, Logger, Param, Query, Req, Res, StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { InjectRepository } from '@nestjs/typeorm';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Repository, SelectQueryBuilder } from 'typeorm';
import { z } from 'zod';
import { AuditKeyStore } from '../../../accounts/keys/audit-keys.js';
import { ApiLines } from '../../../edge/http/api/description/api-events.js';
import { ReadYourWrites } from '../../../edge/http/api/read-your-writes.js';
import { buildPageSchema, PageQuery, skipAndTake } from '../../../edge/http/api/schemas/pagination.js';
import { namesWithCommas } from '../../../edge/http/api/schemas/texts.js';
import { Context } from '../../../edge/http/auth/context.js';
import { preferredType } from '../../../edge/http/negotiation/accept-header.js';
import { enforceWriteTimeout } from '../../../edge/http/server/write-timeout.js';
import { siteEvents, siteStream } from '../../../events/site/site.events.js';
import { summarizeEvent } from '../../../events/site/site-summary.js';
import type { Caller, CommandContext } from '../../../kernel/command-context.js';
import { EventStore, emptyStream, type Head } from '../../../kernel/event-store.js';
import { canonical } from '../../../kernel/hashing/canonical.js';
import { plural } from '../../../kernel/output/quantities.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../nest/features.js';
import { mcpTool } from '../../../nest/mcp-tool.js';
import { HistoryRow } from '../../../projections/models/history.projection.js';
import type { SiteRow } from '../../../projections/models/site.projection.js';
import { ActorNames } from '../api/actor-names.js';
import { SiteReader } from '../site/site-reader.js';
import { HistoryEntry } from './entry.js';
import { exported } from './export.js';
import { listNamed, withNames } from './named-entry.js';

const types = siteEvents.map(({ type }) => type);
const kinds = ['anonymous', 'user', 'system'];

const time = z.iso.datetime({ offset: true, error: 'must be a time in RFC 3339 format, such as 2026-11-20T10:54:00Z' });

const Filters = z.object({
  type: namesWithCommas(types)
    .optional()
    .meta({ description: `Returns only events of these types, separated by commas: ${types.join(', ')}.` }),
  actor: z
    .string()
    .regex(/^(anonymous|user|system|[a-z]{3}_[0-9a-z]{26})$/, `must be ${kinds.join(', ')} or the ID of an actor`)
    .optional()
    .meta({
      description:
        'Returns only events with this actor: a kind of actor (`anonymous`, `user`, `system`), or the ID of an actor.',
    }),
  since: time.optional().meta({ description: 'Returns only events at or after this time (RFC 3339).' }),
  until: time.optional().meta({ description: 'Returns only events before this time (RFC 3339).' }),
});

const HistoryQuery = PageQuery.extend(Filters.shape).refine(
  ({ since, until }) => since === undefined || until === undefined || Date.parse(since) <= Date.parse(until),
  { path: ['until'], error: 'must not be before `since`' },
);

type HistoryFilter = z.output<typeof HistoryQuery>;

/** An export rejects these query parameters, because it can be verified only if it contains every event. */
const partial = [...Object.keys(Filters.shape), ...Object.keys(PageQuery.shape)];

function filtered(rows: SelectQueryBuilder<HistoryRow>, { type, actor, since, until }: HistoryFilter) {
  if (type) rows.andWhere('entry.type in (:...type)', { type });
  // Canonical JSON escapes quotes inside strings, so a search for a field and its value can't match text inside another
  // string.
  const member = actor && `${canonical(kinds.includes(actor) ? 'kind' : 'id')}:${canonical(actor)}`;
  if (member) rows.andWhere('strpos(entry.actor, :member) > 0', { member });
  if (since) rows.andWhere('entry.at >= :since', { since: new Date(since) });
  if (until) rows.andWhere('entry.at < :until', { until: new Date(until) });
  return rows;
}

/**
 * A damaged field is exported as a string with the stored text. The schema does not declare a type, because
 * openapi-generator would generate a Java class that does not compile for a union with a map.
 */
const orDamaged = (what: string) =>
  z.unknown().meta({ description: `${what} as an object or, if it is damaged, the stored text as a string.` });

const Event = z
  .object({
    actor: orDamaged('Who caused the event'),
    at: z.string(),
    data: orDamaged('Data of the event'),
    hash: z.string(),
    id: z.string(),
    previousHash: z.string().nullable(),
    revision: z.number().int(),
    schema: z.number().int(),
    stream: z.string(),
    type: z.string(),
  })
  .meta({
    description:
      'An event as stored in the log. `actor` and `data` are strings if they have been damaged and are no longer canonical JSON.',
  });

const Checkpoint = z
  .object({
    checkpoint: z.object({ at: z.string(), hash: z.string(), revision: z.number().int(), stream: z.string() }),
    keyId: z.string(),
    publicKey: z.object({ crv: z.string(), kty: z.string(), x: z.string() }),
    signature: z.string(),
  })
  .meta({
    description:
      'The last line. `signature` is a base64url-encoded signature of the canonical JSON of `{ checkpoint }`.',
  });

const Fault = z
  .object({
    fault: z.object({ at: z.string(), detail: z.string(), revision: z.number().int(), stream: z.string() }),
  })
  .meta({ description: 'The last line, instead of a checkpoint, if the history failed verification.' });

/** A line of an exported history (docs/audit.md, "File format"). */
const ExportedLine = z.union([Event, Checkpoint, Fault]);

const LINES = 'application/x-ndjson';

const History = buildPageSchema(HistoryEntry);

@ApiTags('History')
@Controller('v1/sites/:slug/history')
class HistoryController {
  readonly #log = new Logger('History');

  constructor(
    private readonly reader: SiteReader,
    @InjectRepository(HistoryRow) private readonly entries: Repository<HistoryRow>,
    private readonly store: EventStore,
    private readonly names: ActorNames,
    private readonly keys: AuditKeyStore,
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
    // Names are looked up rather than recorded, because users can rename themselves or be erased.
    const names = await this.names.of(siteId, caller, entries.flatMap(listNamed));
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

  /**
   * Returns the site's last revision that read models have processed, and the hash of that revision. Read models
   * process only events from the log. Therefore, if the log does not contain this revision, the revision was removed.
   */
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
    summary: summarizeEvent({ type: row.type, schema: row.schema, data, actor }),
    data,
    hash: row.hash,
    previousHash: row.previousHash,
  };
}

const tool = mcpTool({
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

export const history: Feature = { routes: [HistoryController], tools: [tool] };
