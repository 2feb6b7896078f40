import { Controller, Get, Param, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { ApiAccess, ApiETag } from '../../../../edge/http/api/description/api-traits.js';
import { ReadYourWrites } from '../../../../edge/http/api/read-your-writes.js';
import { ServiceUrls } from '../../../../edge/http/api/service-urls.js';
import { Context } from '../../../../edge/http/auth/context.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import type { Feature } from '../../../../nest/features.js';
import { mcpTool } from '../../../../nest/mcp-tool.js';
import type { SiteRow } from '../../../../projections/models/site.projection.js';
import { ServerStatusReader, ShownServer } from '../../settings/servers/shown-server.js';
import { SiteReader } from '../../site/site-reader.js';

export const Site = z
  .object({
    id: z.string(),
    slug: z.string(),
    url: z.string(),
    pathUrl: z.string().nullable().meta({
      description:
        'URL of the site on the service’s own host, where it is served in a sandbox, or null if the site is not available there because it is private or runs a server.',
    }),
    title: z.string(),
    description: z.string(),
    visibility: z.enum(['public', 'password', 'members']),
    status: z.enum(['live', 'expired', 'deleted']),
    claimed: z.boolean(),
    deployId: z.string().nullable(),
    createdAt: z.string(),
    updatedAt: z.string(),
    expiresAt: z.string().optional(),
    capabilities: z.array(z.string()).meta({ description: 'Names of the enabled capabilities.' }),
    revision: z.number().int(),
    server: ShownServer.optional(),
  })
  .meta({ id: 'Site' });

@ApiTags('Sites')
@Controller('v1/sites/:slug')
class ShowSiteController {
  constructor(
    private readonly reader: SiteReader,
    private readonly urls: ServiceUrls,
    private readonly servers: ServerStatusReader,
  ) {}

  @ApiOperation({ summary: 'Get a site' })
  @ApiResponse({ status: 200, standardSchema: Site, description: 'The site. Its ETag is the revision.' })
  @ReadYourWrites()
  @ApiAccess('anybody')
  @ApiETag()
  @Get()
  async getSite(
    @Param('slug') slug: string,
    @Context() { caller }: CommandContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const row = await this.reader.get(slug, caller);
    void reply.header('etag', `"${row.revision}"`);
    const { deployId, program, updatedAt } = row;
    const server = await this.servers.of({ deployId, isProgram: program !== null, updatedAt });
    return toSiteResponse(row, this.urls, server);
  }
}

/**
 * A read-model row with only the columns that a site's state also contains, because the response to a write is built
 * from that state.
 */
type SiteAnswerRow = Omit<SiteRow, 'formerSlugs' | 'manifest' | 'deploys' | 'modifiedAt'>;

export const toSiteResponse = (
  row: SiteAnswerRow,
  urls: ServiceUrls,
  server: z.output<typeof ShownServer> | undefined,
): z.output<typeof Site> => ({
  id: row.siteId,
  slug: row.slug,
  url: urls.site(row.slug),
  pathUrl: row.visibility === 'public' && row.program === null ? urls.sitePath(row.slug) : null,
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
  ...(server && { server }),
});

const enabledOf = (capabilities: string): string[] =>
  Object.entries<{ readonly enabled: boolean }>(JSON.parse(capabilities)).flatMap(([name, { enabled }]) =>
    enabled ? [name] : [],
  );

const tool = mcpTool({
  name: 'get_site',
  title: 'Get a site',
  description:
    'Returns the URL, the live deploy, who can view the site, and its `revision`, which other tools accept as `ifRevision`. Anyone can get a public site; other sites require `editToken` or sign-in.',
  scope: 'read',
  needs: 'nobody',
  effect: 'reads',
  isIdempotent: true,
  quotes: true,
  route: { method: 'GET', path: '/v1/sites/:slug', takes: ['editToken'] },
  answer: Site,
  say: ({ slug, url, status, visibility, deployId, revision }) =>
    `${slug} is ${status} at ${url} (${visibility}), revision ${revision}, showing ${deployId ?? 'nothing yet'}.`,
});

export const showSite: Feature = { routes: [ShowSiteController], tools: [tool] };
