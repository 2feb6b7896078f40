import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import type { z } from 'zod';
import { By } from '../../../edge/caller.js';
import { PageQuery, pageOf, slice } from '../../../edge/page.js';
import { ReadYourWrites } from '../../../edge/read-your-writes.js';
import { siteStream } from '../../../events/site.events.js';
import type { Given } from '../../../kernel/caller.js';
import { HistoryRow } from '../../../projections/history.projection.js';
import type { Feature } from '../../../wiring/features.js';
import { SiteReader } from '../site-reader.js';
import { HistoryEntry } from './entry.js';
import { summaryOf } from './summary.js';

const History = pageOf(HistoryEntry);

@ApiTags('History')
@Controller('v1/sites/:slug/history')
class HistoryController {
  constructor(
    @Inject(SiteReader) private readonly reader: SiteReader,
    @InjectRepository(HistoryRow) private readonly entries: Repository<HistoryRow>,
  ) {}

  @ApiOperation({ summary: 'Every event of a site, newest first' })
  @ApiHeader({ name: 'x-svc-edit-token', description: 'The edit token of the site.' })
  @ApiResponse({ status: 200, standardSchema: History, description: 'One page of the audit trail.' })
  @ReadYourWrites()
  @Get()
  async history(
    @Param('slug') slug: string,
    @Query({ schema: PageQuery }) query: z.output<typeof PageQuery>,
    @By() { caller }: Given,
  ): Promise<z.output<typeof History>> {
    const { siteId } = await this.reader.getFor(slug, caller);
    const [rows, total] = await this.entries.findAndCount({
      where: { siteId },
      order: { revision: 'desc' },
      ...slice(query),
    });
    return { items: rows.map(shown), page: query.page, limit: query.limit, total };
  }
}

function shown(row: HistoryRow): z.output<typeof HistoryEntry> {
  const data: Record<string, unknown> = JSON.parse(row.data);
  return {
    id: row.id,
    stream: siteStream(row.siteId),
    revision: row.revision,
    position: row.position,
    type: row.type,
    schema: row.schema,
    at: row.at.toISOString(),
    actor: JSON.parse(row.actor),
    summary: summaryOf(row.type, data),
    data,
    hash: row.hash,
    previousHash: row.previousHash,
  };
}

export const history: Feature = { routes: [HistoryController] };
