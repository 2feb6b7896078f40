import { Controller, Get, Inject, Param, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { ReadYourWrites } from '../../../http/api/read-your-writes.js';
import { Addresses } from '../../../http/api/service-urls.js';
import { By } from '../../../http/auth/context.js';
import type { Given } from '../../../kernel/command-context.js';
import type { Feature } from '../../../process/nest/features.js';
import type { SiteRow } from '../../../projections/models/site.projection.js';
import { SiteReader } from '../site/site-reader.js';

export const Site = z
  .object({
    id: z.string(),
    slug: z.string(),
    url: z.string(),
    pathUrl: z.string(),
    title: z.string(),
    description: z.string(),
    visibility: z.enum(['public', 'password', 'members']),
    status: z.enum(['live', 'expired', 'deleted']),
    claimed: z.boolean(),
    deployId: z.string().nullable(),
    createdAt: z.string(),
    updatedAt: z.string(),
    expiresAt: z.string().optional(),
    capabilities: z.array(z.string()).meta({ description: 'The names of those that are switched on.' }),
    revision: z.number().int(),
  })
  .meta({ id: 'Site' });

@ApiTags('Sites')
@Controller('v1/sites/:slug')
class ShowSiteController {
  constructor(
    @Inject(SiteReader) private readonly reader: SiteReader,
    @Inject(Addresses) private readonly addresses: Addresses,
  ) {}

  @ApiOperation({ summary: 'A site as it stands' })
  @ApiResponse({ status: 200, standardSchema: Site, description: 'The site; its etag is the revision.' })
  @ReadYourWrites()
  @Get()
  async getSite(@Param('slug') slug: string, @By() { caller }: Given, @Res({ passthrough: true }) reply: FastifyReply) {
    const row = await this.reader.get(slug, caller);
    void reply.header('etag', `"${row.revision}"`);
    return shown(row, this.addresses);
  }
}

type ShownRow = Pick<
  SiteRow,
  | 'siteId'
  | 'slug'
  | 'title'
  | 'description'
  | 'visibility'
  | 'status'
  | 'editTokenHash'
  | 'deployId'
  | 'expiresAt'
  | 'capabilities'
  | 'createdAt'
  | 'updatedAt'
  | 'revision'
>;

export const shown = (row: ShownRow, addresses: Addresses): z.output<typeof Site> => ({
  id: row.siteId,
  slug: row.slug,
  url: addresses.site(row.slug),
  pathUrl: addresses.sitePath(row.slug),
  title: row.title,
  description: row.description,
  visibility: row.visibility,
  status: row.status,
  claimed: row.editTokenHash === null,
  deployId: row.deployId,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  ...(row.expiresAt && { expiresAt: row.expiresAt.toISOString() }),
  capabilities: enabledOf(row.capabilities),
  revision: row.revision,
});

const enabledOf = (capabilities: string): string[] =>
  Object.entries<{ readonly enabled: boolean }>(JSON.parse(capabilities)).flatMap(([name, { enabled }]) =>
    enabled ? [name] : [],
  );

export const showSite: Feature = { routes: [ShowSiteController] };
