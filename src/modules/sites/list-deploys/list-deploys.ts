import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { z } from 'zod';
import { Addresses } from '../../../edge/addresses.js';
import { By } from '../../../edge/caller.js';
import { PageQuery, pageOf, slice } from '../../../edge/page.js';
import { ReadYourWrites } from '../../../edge/read-your-writes.js';
import type { Given } from '../../../kernel/caller.js';
import { DeployRow } from '../../../projections/deploy.projection.js';
import type { Feature } from '../../../wiring/features.js';
import { SiteReader } from '../site-reader.js';

const Deploy = z
  .object({
    deployId: z.string(),
    number: z.number().int(),
    status: z.enum(['live', 'superseded', 'staged']),
    files: z.number().int(),
    bytes: z.number().int(),
    digest: z.string(),
    source: z.enum(['upload', 'repo', 'code', 'mcp']),
    message: z.string().nullable(),
    actor: z.object({ kind: z.enum(['anonymous', 'user', 'system']), id: z.string().optional() }),
    createdAt: z.string(),
    previewUrl: z.string(),
    liveFrom: z.string().nullable().meta({ description: 'Of the latest time it was live.' }),
    liveUntil: z.string().nullable(),
  })
  .meta({ id: 'Deploy' });

const Deploys = pageOf(Deploy);

@ApiTags('History')
@Controller('v1/sites/:slug/deploys')
class ListDeploysController {
  constructor(
    @Inject(SiteReader) private readonly reader: SiteReader,
    @InjectRepository(DeployRow) private readonly deploys: Repository<DeployRow>,
    @Inject(Addresses) private readonly addresses: Addresses,
  ) {}

  @ApiOperation({ summary: 'The deploys of a site, newest first' })
  @ApiHeader({ name: 'x-svc-edit-token', description: 'The edit token of the site.' })
  @ApiResponse({ status: 200, standardSchema: Deploys, description: 'One page of deploys.' })
  @ReadYourWrites()
  @Get()
  async listDeploys(
    @Param('slug') slug: string,
    @Query({ schema: PageQuery }) query: z.output<typeof PageQuery>,
    @By() { caller }: Given,
  ): Promise<z.output<typeof Deploys>> {
    const { siteId } = await this.reader.getFor(slug, caller);
    const [rows, total] = await this.deploys.findAndCount({
      where: { siteId },
      order: { number: 'desc' },
      ...slice(query),
    });
    return { items: rows.map((row) => shown(row, this.addresses)), page: query.page, limit: query.limit, total };
  }
}

const shown = (row: DeployRow, addresses: Addresses): z.output<typeof Deploy> => ({
  deployId: row.deployId,
  number: row.number,
  status: row.status,
  files: row.files,
  bytes: Number(row.bytes),
  digest: `sha256:${row.manifest}`,
  source: row.source,
  message: row.message,
  actor: { kind: row.actorKind, ...(row.actorId && { id: row.actorId }) },
  createdAt: row.createdAt.toISOString(),
  previewUrl: addresses.preview(row.deployId),
  liveFrom: row.liveFrom?.toISOString() ?? null,
  liveUntil: row.liveUntil?.toISOString() ?? null,
});

export const listDeploys: Feature = { routes: [ListDeploysController] };
