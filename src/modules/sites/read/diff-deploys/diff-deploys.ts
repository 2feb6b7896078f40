import { Controller, Get, Param, Query, StreamableFile } from '@nestjs/common';
import { ApiExtension, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { ApiProblems } from '../../../../edge/http/api/description/api-traits.js';
import { ReadYourWrites } from '../../../../edge/http/api/read-your-writes.js';
import { Context } from '../../../../edge/http/auth/context.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { formatBytes, formatExcess, plural } from '../../../../kernel/output/quantities.js';
import { refuse } from '../../../../kernel/refusal.js';
import type { Feature } from '../../../../nest/features.js';
import { mcpTool } from '../../../../nest/mcp-tool.js';
import { BlobStore } from '../../../../storage/blobs/blob-store.js';
import type { ManifestFile } from '../../../../storage/blobs/manifest.js';
import { DeployReader } from '../../site/deploy-reader.js';
import { SiteReader } from '../../site/site-reader.js';
import { compareManifests, type ManifestDifference } from './difference.js';
import { MAX_DIFF_BYTES, unifiedDiff } from './unified-diff.js';

const DiffQuery = z.object({
  from: z.string().meta({ description: 'ID or number of the base deploy.' }),
  to: z.string().meta({ description: 'ID or number of the deploy to compare with the base deploy.' }),
});

const RouteQuery = DiffQuery.extend({
  path: z.string().min(1).optional().meta({
    description: 'Path of a single file. If set, the response is a unified diff of that file, as printed by `diff -u`.',
  }),
});

const DIFF = 'text/x-diff';

const Files = z.array(z.object({ path: z.string(), size: z.number().int(), sha256: z.string() }));

const DeployDifference = z
  .object({
    added: Files,
    changed: Files.meta({ description: 'Files whose content differs, with their size and digest in the deploy `to`.' }),
    removed: Files,
  })
  .meta({ id: 'DeployDifference' });

@ApiTags('History')
@Controller('v1/sites/:slug/deploys/diff')
class DiffDeploysController {
  constructor(
    private readonly reader: SiteReader,
    private readonly deploys: DeployReader,
    private readonly blobs: BlobStore,
  ) {}

  @ApiOperation({
    summary: 'Compare two deploys',
    description: `With \`path\`, the response is \`${DIFF}\`: a unified diff of that file with three lines of context, or nothing if the file did not change. For binary files, and for texts with too many differences, it only says that they differ. Files larger than ${formatBytes(MAX_DIFF_BYTES)} are refused with 413 \`too_large\`.`,
  })
  @ApiResponse({
    status: 200,
    standardSchema: DeployDifference,
    description: 'The files that were added, changed and removed, sorted by path in byte order.',
  })
  @ApiExtension('x-also-answers', { [DIFF]: { schema: { type: 'string' } } })
  @ApiProblems('not_found', 'too_large')
  @ReadYourWrites()
  @Get()
  async diffDeploys(
    @Param('slug') slug: string,
    @Query({ schema: RouteQuery }) { from, to, path }: z.output<typeof RouteQuery>,
    @Context() { caller }: CommandContext,
  ): Promise<ManifestDifference | StreamableFile> {
    const { siteId } = await this.reader.getFor(slug, caller);
    const before = await this.deploys.manifestOf(await this.deploys.get(siteId, from));
    const after = await this.deploys.manifestOf(await this.deploys.get(siteId, to));
    if (path === undefined) return compareManifests(before, after);
    const [old, now] = [before.files.get(path), after.files.get(path)];
    if (!old && !now) refuse('not_found', `Neither deploy has a file “${path.slice(0, 200)}”.`);
    const text = await unifiedDiff(
      path,
      { name: from, bytes: await this.#bytesOf(old) },
      { name: to, bytes: await this.#bytesOf(now) },
    );
    const bytes = Buffer.from(text);
    return new StreamableFile(bytes, { type: `${DIFF}; charset=utf-8`, length: bytes.length });
  }

  async #bytesOf(file: ManifestFile | undefined): Promise<Buffer | null> {
    if (!file) return null;
    if (file.size > MAX_DIFF_BYTES)
      refuse(
        'too_large',
        `“${file.path}” is ${formatExcess(file.size, MAX_DIFF_BYTES).join(', but the limit for a comparison is ')}.`,
      );
    return this.blobs.read(file.sha256);
  }
}

const tool = mcpTool({
  name: 'diff_deploys',
  title: 'Compare two deploys',
  description: 'Returns the files that were added, changed and removed between the deploy `from` and the deploy `to`.',
  scope: 'read',
  needs: 'token',
  effect: 'reads',
  isIdempotent: true,
  quotes: true,
  route: { method: 'GET', path: '/v1/sites/:slug/deploys/diff', query: DiffQuery, takes: ['editToken'] },
  answer: DeployDifference,
  say: ({ added, changed, removed }) =>
    `${plural(added.length, 'file')} added, ${changed.length} changed, ${removed.length} removed.`,
});

export const diffDeploys: Feature = { routes: [DiffDeploysController], tools: [tool] };
