import { Readable } from 'node:stream';
import { Controller, Get, Inject, Logger, Param, Query, Res, StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { BlobStore } from '../../../blobs/blob-store.js';
import { ReadYourWrites } from '../../../http/api/read-your-writes.js';
import { Context } from '../../../http/auth/context.js';
import { enforceWriteTimeout } from '../../../http/server/write-timeout.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../process/nest/features.js';
import { DeployReader } from '../site/deploy-reader.js';
import { SiteReader } from '../site/site-reader.js';

const FileQuery = z.object({
  deployId: z.string().optional().meta({ description: 'An older deploy; the live one without it.' }),
});

@ApiTags('Sites')
@Controller('v1/sites/:slug/files/*')
class ReadFileController {
  readonly #log = new Logger('File');

  constructor(
    @Inject(SiteReader) private readonly reader: SiteReader,
    @Inject(DeployReader) private readonly deploys: DeployReader,
    @Inject(BlobStore) private readonly blobs: BlobStore,
  ) {}

  @ApiOperation({
    summary: 'One file of the live deploy, or of an older one, exactly as it was deployed',
    description:
      'As bytes to keep, whatever is in it: this address shows no page. 404 `not_found` where there is none.',
  })
  @ApiParam({ name: 'path', type: String, description: 'As list of files has it, with its slashes.' })
  @ApiResponse({
    status: 200,
    content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
    description: 'The bytes.',
  })
  @ReadYourWrites()
  @Get()
  async readFile(
    @Param('slug') slug: string,
    @Param('*') path: string,
    @Query({ schema: FileQuery }) { deployId }: z.output<typeof FileQuery>,
    @Context() { caller }: CommandContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const site = await this.reader.getFor(slug, caller);
    const deploy = await this.deploys.getFiles(site.siteId, deployId ?? site.deployId ?? '');
    const file = (await this.deploys.manifestOf(deploy)).files.get(path);
    if (!file) return refuse('not_found', 'The deploy has no such file.');
    enforceWriteTimeout(reply.raw);
    const body = Readable.from(this.blobs.stream(file.sha256), { objectMode: false });
    body.once('error', (error) => this.#log.error(`${deploy.deployId}: ${error.message}`, error.stack));
    return new StreamableFile(body, { type: 'application/octet-stream', disposition: 'attachment', length: file.size });
  }
}

export const readFile: Feature = { routes: [ReadFileController] };
