import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { z } from 'zod';
import { BlobStore } from '../../../blobs/blob-store.js';
import { decodeManifest } from '../../../blobs/manifest.js';
import { By } from '../../../edge/caller.js';
import { contentType } from '../../../edge/content-type.js';
import { ReadYourWrites } from '../../../edge/read-your-writes.js';
import type { Given } from '../../../kernel/caller.js';
import { refuse } from '../../../kernel/refusal.js';
import { DeployRow } from '../../../projections/deploy.projection.js';
import type { Feature } from '../../../wiring/features.js';
import { SiteReader } from '../site-reader.js';

const FilesQuery = z.object({
  deployId: z.string().optional().meta({ description: 'An older deploy; the live one without it.' }),
});

const Files = z
  .object({
    deployId: z.string(),
    digest: z.string(),
    items: z.array(z.object({ path: z.string(), size: z.number().int(), type: z.string(), sha256: z.string() })),
    total: z.number().int(),
  })
  .meta({ id: 'Files' });

@ApiTags('Sites')
@Controller('v1/sites/:slug/files')
class ListFilesController {
  constructor(
    @Inject(SiteReader) private readonly reader: SiteReader,
    @InjectRepository(DeployRow) private readonly deploys: Repository<DeployRow>,
    @Inject(BlobStore) private readonly blobs: BlobStore,
  ) {}

  @ApiOperation({ summary: 'The files of the live deploy, or of an older one' })
  @ApiHeader({ name: 'x-svc-edit-token', description: 'The edit token of the site.' })
  @ApiResponse({ status: 200, standardSchema: Files, description: 'Sorted by the bytes of the path.' })
  @ReadYourWrites()
  @Get()
  async listFiles(
    @Param('slug') slug: string,
    @Query({ schema: FilesQuery }) { deployId: asked }: z.output<typeof FilesQuery>,
    @By() { caller }: Given,
  ): Promise<z.output<typeof Files>> {
    const site = await this.reader.getFor(slug, caller);
    const deployId = asked ?? site.deployId ?? '';
    const deploy = await this.deploys.findOneBy({ deployId, siteId: site.siteId });
    if (!deploy) return refuse('deploy_not_found', 'This site has no such deploy.');

    const { files } = decodeManifest(deploy.manifest, await this.blobs.read(deploy.manifest));
    const items = [...files.values()].map((file) => ({ ...file, type: contentType(file.path) }));
    return { deployId, digest: `sha256:${deploy.manifest}`, items, total: items.length };
  }
}

export const listFiles: Feature = { routes: [ListFilesController] };
