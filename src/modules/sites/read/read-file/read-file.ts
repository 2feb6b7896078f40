import { Readable } from 'node:stream';
import { Controller, Get, Logger, Param, Query, Res, StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { ReadYourWrites } from '../../../../edge/http/api/read-your-writes.js';
import { Context } from '../../../../edge/http/auth/context.js';
import { enforceWriteTimeout } from '../../../../edge/http/server/write-timeout.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { refuse } from '../../../../kernel/refusal.js';
import type { Feature } from '../../../../nest/features.js';
import { BlobStore } from '../../../../storage/blobs/blob-store.js';
import { DeployReader } from '../../site/deploy-reader.js';
import { SiteReader } from '../../site/site-reader.js';

const FileQuery = z.object({
  deployId: z.string().optional().meta({ description: 'ID or number of a deploy. Defaults to the live deploy.' }),
});

@ApiTags('Sites')
@Controller('v1/sites/:slug/files/*')
class ReadFileController {
  readonly #log = new Logger('File');

  constructor(
    private readonly reader: SiteReader,
    private readonly deploys: DeployReader,
    private readonly blobs: BlobStore,
  ) {}

  @ApiOperation({
    summary: 'Download a file from a deploy',
    description:
      'Returns the file exactly as it was deployed, always as a download and never as a page. Returns 404 `not_found` if the deploy has no such file.',
  })
  @ApiParam({
    name: 'path',
    type: String,
    description: 'Path of the file as shown in the list of files, including slashes.',
  })
  @ApiResponse({
    status: 200,
    content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
    description: 'The content of the file.',
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
    if (!file) return refuse('not_found', `The deploy has no file “${path.slice(0, 200)}”.`);
    enforceWriteTimeout(reply.raw);
    const body = Readable.from(this.blobs.stream(file.sha256), { objectMode: false });
    body.once('error', (error) =>
      this.#log.error(`Could not send a file of ${deploy.deployId}: ${error.message}`, error.stack),
    );
    return new StreamableFile(body, { type: 'application/octet-stream', disposition: 'attachment', length: file.size });
  }
}

export const readFile: Feature = { routes: [ReadFileController] };
