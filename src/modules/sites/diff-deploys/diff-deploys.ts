import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { ReadYourWrites } from '../../../http/api/read-your-writes.js';
import { Context } from '../../../http/auth/context.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import { agentTool } from '../../../process/nest/agent-tool.js';
import type { Feature } from '../../../process/nest/features.js';
import { DeployReader } from '../site/deploy-reader.js';
import { SiteReader } from '../site/site-reader.js';
import { differenceOf, type ManifestDifference } from './difference.js';

const DiffQuery = z.object({
  from: z.string().meta({ description: 'The deploy to start from.' }),
  to: z.string().meta({ description: 'The deploy to compare with it.' }),
});

const Files = z.array(z.object({ path: z.string(), size: z.number().int(), sha256: z.string() }));

const DeployDifference = z
  .object({
    added: Files,
    changed: Files.meta({ description: 'With the size and digest they have in `to`.' }),
    removed: Files,
  })
  .meta({ id: 'DeployDifference' });

@ApiTags('History')
@Controller('v1/sites/:slug/deploys/diff')
class DiffDeploysController {
  constructor(
    @Inject(SiteReader) private readonly reader: SiteReader,
    @Inject(DeployReader) private readonly deploys: DeployReader,
  ) {}

  @ApiOperation({ summary: 'What changed from one deploy to another' })
  @ApiResponse({ status: 200, standardSchema: DeployDifference, description: 'Sorted by the bytes of the path.' })
  @ReadYourWrites()
  @Get()
  async diffDeploys(
    @Param('slug') slug: string,
    @Query({ schema: DiffQuery }) { from, to }: z.output<typeof DiffQuery>,
    @Context() { caller }: CommandContext,
  ): Promise<ManifestDifference> {
    const { siteId } = await this.reader.getFor(slug, caller);
    const before = await this.deploys.get(siteId, from);
    const after = await this.deploys.get(siteId, to);
    return differenceOf(await this.deploys.manifestOf(before), await this.deploys.manifestOf(after));
  }
}

const tool = agentTool({
  name: 'diff_deploys',
  title: 'What changed from one deploy to another',
  description: 'Answers which files were added, changed and removed from the deploy `from` to the deploy `to`.',
  scope: 'read',
  needs: 'token',
  effect: 'reads',
  isIdempotent: true,
  quotes: true,
  route: { method: 'GET', path: '/v1/sites/:slug/deploys/diff', query: DiffQuery, takes: ['editToken'] },
  answer: DeployDifference,
  say: ({ added, changed, removed }) =>
    `${added.length} files were added, ${changed.length} changed, ${removed.length} removed.`,
});

export const diffDeploys: Feature = { routes: [DiffDeploysController], tools: [tool] };
