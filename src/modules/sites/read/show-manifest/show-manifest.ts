import { Readable } from 'node:stream';
import { Controller, Get, Logger, Param, Res, StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ReadYourWrites } from '../../../../edge/http/api/read-your-writes.js';
import { Context } from '../../../../edge/http/auth/context.js';
import { enforceWriteTimeout } from '../../../../edge/http/server/write-timeout.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import type { Feature } from '../../../../nest/features.js';
import { BlobStore } from '../../../../storage/blobs/blob-store.js';
import { DeployReader } from '../../site/deploy-reader.js';
import { SiteReader } from '../../site/site-reader.js';

@ApiTags('History')
@Controller('v1/sites/:slug/deploys/:deployId/manifest')
class ShowManifestController {
  readonly #log = new Logger('Manifest');

  constructor(
    private readonly reader: SiteReader,
    private readonly deploys: DeployReader,
    private readonly blobs: BlobStore,
  ) {}

  @ApiOperation({
    summary: 'Get a deploy’s manifest',
    description:
      'Returns the exact bytes whose SHA-256 is the digest of the deploy: one line `{sha256} {size} {path}\\n` per file, sorted by path in byte order. Returns 404 `not_found` for a deploy that runs a server, which has no files.',
  })
  @ApiResponse({
    status: 200,
    content: { 'text/plain': { schema: { type: 'string' } } },
    description: 'The manifest, with one line per file.',
  })
  @ReadYourWrites()
  @Get()
  async manifest(
    @Param('slug') slug: string,
    @Param('deployId') deployId: string,
    @Context() { caller }: CommandContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const site = await this.reader.getFor(slug, caller);
    const { manifest } = await this.deploys.getFiles(site.siteId, deployId);
    enforceWriteTimeout(reply.raw);
    const body = Readable.from(this.blobs.stream(manifest), { objectMode: false });
    body.once('error', (error) =>
      this.#log.error(`Could not send the manifest of ${deployId}: ${error.message}`, error.stack),
    );
    return new StreamableFile(body, { type: 'text/plain; charset=utf-8' });
  }
}

export const showManifest: Feature = { routes: [ShowManifestController] };
