import { Readable } from 'node:stream';
import { Controller, Get, Header, Logger, Param, Query, Req, Res, StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { contentType } from '../../../../edge/http/api/content-type.js';
import { ApiLines } from '../../../../edge/http/api/description/api-events.js';
import { ApiLinks, fromResponse, linksOnSameSite } from '../../../../edge/http/api/description/api-links.js';
import { ReadYourWrites } from '../../../../edge/http/api/read-your-writes.js';
import { buildPageSchema, pageQuery, skipAndTake } from '../../../../edge/http/api/schemas/pagination.js';
import { Context } from '../../../../edge/http/auth/context.js';
import { preferredType } from '../../../../edge/http/negotiation/accept-header.js';
import { enforceWriteTimeout } from '../../../../edge/http/server/write-timeout.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { inTurns } from '../../../../kernel/concurrency/in-turns.js';
import { formatNumber, plural } from '../../../../kernel/output/quantities.js';
import type { Feature } from '../../../../nest/features.js';
import { mcpTool } from '../../../../nest/mcp-tool.js';
import { type ManifestFile, parseManifestFiles } from '../../../../storage/blobs/manifest.js';
import { DeployReader } from '../../site/deploy-reader.js';
import { SiteReader } from '../../site/site-reader.js';

const LINES = 'application/x-ndjson';

const PIECE = 64 * 1024;

const FilesQuery = pageQuery(1_000, 1_000).extend({
  deployId: z.string().optional().meta({ description: 'ID or number of a deploy. Defaults to the live deploy.' }),
});

const File = z.object({ path: z.string(), size: z.number().int(), type: z.string(), sha256: z.string() });

const Files = buildPageSchema(File).extend({ deployId: z.string(), digest: z.string() }).meta({ id: 'Files' });

@ApiTags('Sites')
@Controller('v1/sites/:slug/files')
class ListFilesController {
  readonly #log = new Logger('Files');

  constructor(
    private readonly reader: SiteReader,
    private readonly deploys: DeployReader,
  ) {}

  @ApiOperation({
    summary: 'List a deploy’s files',
    description:
      'Returns one page of files. With `accept: application/x-ndjson`, returns all files, one `{ path, size, type, sha256 }` per line, and ignores `page` and `limit`.',
  })
  @ApiResponse({
    status: 200,
    standardSchema: Files,
    description: 'One page of files, sorted by path in byte order.',
  })
  @ApiLines('FileLine', LINES, File)
  @ReadYourWrites()
  @Header('vary', 'accept')
  @ApiLinks(...linksOnSameSite({ path: fromResponse('items/0/path') }, 'readFile'))
  @Get()
  async listFiles(
    @Param('slug') slug: string,
    @Query({ schema: FilesQuery }) { deployId: asked, ...query }: z.output<typeof FilesQuery>,
    @Context() { caller }: CommandContext,
    @Req() { headers }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<z.output<typeof Files> | StreamableFile> {
    const site = await this.reader.getFor(slug, caller);
    const deploy = await this.deploys.get(site.siteId, asked ?? site.deployId ?? '');
    const manifest = await this.deploys.storedManifestOf(deploy);
    if (preferredType(headers.accept, ['application/json', LINES]) === LINES) {
      enforceWriteTimeout(reply.raw);
      const body = Readable.from(linesOf(manifest), { objectMode: false });
      body.once('error', (error) =>
        this.#log.error(`Could not list the files of ${deploy.deployId}: ${error.message}`, error.stack),
      );
      return new StreamableFile(body, { type: LINES });
    }
    const { skip, take } = skipAndTake(query);
    const items = [...parseManifestFiles(manifest, skip, take)].map(listed);
    return { deployId: deploy.deployId, digest: `sha256:${deploy.manifest}`, items, ...query, total: deploy.files };
  }
}

const listed = ({ path, size, sha256 }: ManifestFile) => ({ path, size, type: contentType(path), sha256 });

async function* linesOf(manifest: Buffer): AsyncGenerator<string> {
  let piece = '';
  for await (const file of inTurns(parseManifestFiles(manifest))) {
    piece += `${JSON.stringify(listed(file))}\n`;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

const tool = mcpTool({
  name: 'list_files',
  title: 'List a deploy’s files',
  description:
    'Lists the path, size, type and SHA-256 of each file of the live deploy, or of `deployId`. If `total` is larger than the number of files listed, request the next page.',
  scope: 'read',
  needs: 'token',
  effect: 'reads',
  isIdempotent: true,
  quotes: true,
  route: { method: 'GET', path: '/v1/sites/:slug/files', query: FilesQuery, takes: ['editToken'] },
  answer: Files,
  say: ({ deployId, items, total }) =>
    `${deployId} has ${plural(total, 'file')}. This page lists ${formatNumber(items.length)}.`,
});

export const listFiles: Feature = { routes: [ListFilesController], tools: [tool] };
