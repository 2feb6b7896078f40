import { Controller, Get, Logger, Param, Query, StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { ReadYourWrites } from '../../../../edge/http/api/read-your-writes.js';
import { Context } from '../../../../edge/http/auth/context.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import type { Feature } from '../../../../nest/features.js';
import { BlobStore } from '../../../../storage/blobs/blob-store.js';
import { DeployReader } from '../../site/deploy-reader.js';
import { SiteReader } from '../../site/site-reader.js';
import { createZip } from './create-zip.js';

const DownloadQuery = z.object({
  deployId: z.string().optional().meta({ description: 'ID or number of a deploy. Defaults to the live deploy.' }),
});

@ApiTags('History')
@Controller('v1/sites/:slug/files.zip')
class DownloadController {
  readonly #log = new Logger('Download');

  constructor(
    private readonly reader: SiteReader,
    private readonly deploys: DeployReader,
    private readonly blobs: BlobStore,
  ) {}

  @ApiOperation({
    summary: 'Download a deploy’s files as a zip archive',
    description:
      'A deploy’s archive is always byte-for-byte identical: its paths are sorted, and the modification time of every file is the time of the deploy. Returns 404 `not_found` for a deploy that runs a server, because it has no files.',
  })
  @ApiResponse({
    status: 200,
    content: { 'application/zip': { schema: { type: 'string', format: 'binary' } } },
    description: 'Zip archive named `{slug}-{number}.zip`.',
  })
  @ReadYourWrites()
  @Get()
  async download(
    @Param('slug') slug: string,
    @Query({ schema: DownloadQuery }) { deployId }: z.output<typeof DownloadQuery>,
    @Context() { caller }: CommandContext,
  ): Promise<StreamableFile> {
    const site = await this.reader.getFor(slug, caller);
    const deploy = await this.deploys.getFiles(site.siteId, deployId ?? site.deployId ?? '');
    const { files } = await this.deploys.manifestOf(deploy);

    const { stream, length } = createZip([...files.values()], deploy.createdAt, (sha256) => this.blobs.stream(sha256));
    stream.once('error', (error) =>
      this.#log.error(`Could not send the zip archive of ${deploy.deployId}: ${error.message}`, error.stack),
    );
    return new StreamableFile(stream, {
      type: 'application/zip',
      disposition: `attachment; filename="${site.slug}-${deploy.number}.zip"`,
      length,
    });
  }
}

export const download: Feature = { routes: [DownloadController] };
