import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { contentType } from '../../../http/api/content-type.js';
import { ReadYourWrites } from '../../../http/api/read-your-writes.js';
import { By } from '../../../http/auth/context.js';
import type { Given } from '../../../kernel/command-context.js';
import type { Feature } from '../../../process/nest/features.js';
import { DeployReader } from '../site/deploy-reader.js';
import { SiteReader } from '../site/site-reader.js';

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
    @Inject(DeployReader) private readonly deploys: DeployReader,
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
    const deploy = await this.deploys.get(site.siteId, asked ?? site.deployId ?? '');
    const { files } = await this.deploys.manifestOf(deploy);
    const items = [...files.values()].map((file) => ({ ...file, type: contentType(file.path) }));
    return { deployId: deploy.deployId, digest: `sha256:${deploy.manifest}`, items, total: items.length };
  }
}

export const listFiles: Feature = { routes: [ListFilesController] };
