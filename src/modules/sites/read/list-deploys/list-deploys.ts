import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { z } from 'zod';
import { ApiLinks, fromResponse, linksOnSameSite } from '../../../../edge/http/api/description/api-links.js';
import { ReadYourWrites } from '../../../../edge/http/api/read-your-writes.js';
import {
  buildPageSchema,
  PageQuery,
  type PageRequest,
  skipAndTake,
} from '../../../../edge/http/api/schemas/pagination.js';
import { ServiceUrls } from '../../../../edge/http/api/service-urls.js';
import { Context } from '../../../../edge/http/auth/context.js';
import { serverKinds } from '../../../../events/site/deploy-server.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { plural } from '../../../../kernel/output/quantities.js';
import type { Feature } from '../../../../nest/features.js';
import { mcpTool } from '../../../../nest/mcp-tool.js';
import { DeployRow } from '../../../../projections/models/deploy.projection.js';
import { ActorNames } from '../../api/actor-names.js';
import { SiteReader } from '../../site/site-reader.js';
import { PointerMoves } from './pointer-moves.js';

const Deploy = z
  .object({
    deployId: z.string(),
    number: z.number().int(),
    status: z.enum(['live', 'superseded', 'staged']),
    files: z.number().int(),
    bytes: z.number().int(),
    digest: z.string(),
    program: z
      .object({ kind: z.enum(serverKinds) })
      .optional()
      .meta({ description: 'Present only if the deploy runs a server instead of serving files.' }),
    source: z.enum(['upload', 'repo', 'code', 'mcp']),
    message: z.string().nullable(),
    actor: z.object({
      kind: z.enum(['anonymous', 'user', 'system']),
      id: z.string().optional(),
      name: z.string().optional().meta({
        description:
          'Current name of the actor: the user’s name, otherwise their email address if the caller can see it in the list of members, otherwise “a member”. “a former member” if the account was erased, and `CI “…”` for a script with an access token.',
      }),
      client: z.string().optional().meta({
        description: 'Name of the connected app that acted for the user. The app chooses this name itself.',
      }),
      grant: z.string().optional().meta({ description: 'ID of the connected app’s grant.' }),
      token: z.string().optional().meta({ description: 'ID of the access token that a script used.' }),
      publisher: z
        .string()
        .optional()
        .meta({ description: 'ID of the trusted publisher that the access token came from.' }),
    }),
    jobId: z.string().optional().meta({ description: 'ID of the job, for a deploy from a repository.' }),
    commit: z.string().optional(),
    trusted: z.boolean().optional().meta({
      description:
        'Whether the job that built the deploy was trusted with the site’s secrets. A server receives secrets only if its deploy is trusted. Omitted for deploys that were not built by a job, and for old deploys for which this was not recorded.',
    }),
    client: z.string().optional().meta({
      description:
        'The program that sent the deploy, such as `stele-cli/0.1.0; agent=claude-code`, as it named itself in the header `stele-client`. Omitted if it gave no name.',
    }),
    createdAt: z.string(),
    previewUrl: z.string(),
    manifestUrl: z.string().optional().meta({
      description:
        'URL of the manifest, whose SHA-256 is `digest`. Omitted for deploys that run a server; their `digest` is that of the build output or image.',
    }),
    provenanceUrl: z
      .string()
      .optional()
      .meta({ description: 'URL of the signed provenance, for a deploy that was built by a job.' }),
    liveFrom: z
      .string()
      .nullable()
      .meta({ description: 'Time at which the deploy last went live, or null if it never has.' }),
    liveUntil: z.string().nullable(),
  })
  .meta({ id: 'Deploy' });

const Deploys = buildPageSchema(Deploy);

const DeploysQuery = PageQuery.extend({
  at: z.iso
    .datetime({ offset: true, error: 'must be a time in RFC 3339 format, such as 2026-11-20T10:54:00Z' })
    .optional()
    .meta({
      description:
        'Returns only the deploy that was live at this time, if any, with the `liveFrom` and `liveUntil` of that period.',
    }),
});

@ApiTags('History')
@Controller('v1/sites/:slug/deploys')
class ListDeploysController {
  constructor(
    private readonly reader: SiteReader,
    @InjectRepository(DeployRow) private readonly deploys: Repository<DeployRow>,
    private readonly names: ActorNames,
    private readonly moves: PointerMoves,
    private readonly urls: ServiceUrls,
  ) {}

  @ApiOperation({ summary: 'List a site’s deploys', description: 'Newest first.' })
  @ApiResponse({ status: 200, standardSchema: Deploys, description: 'One page of deploys.' })
  @ReadYourWrites()
  @ApiLinks(...linksOnSameSite({ deployId: fromResponse('items/0/deployId') }, 'manifest', 'provenance', 'listFiles'))
  @Get()
  async listDeploys(
    @Param('slug') slug: string,
    @Query({ schema: DeploysQuery }) { at, ...page }: z.output<typeof DeploysQuery>,
    @Context() { caller }: CommandContext,
  ): Promise<z.output<typeof Deploys>> {
    const { siteId, slug: present } = await this.reader.getFor(slug, caller);
    const [rows, total] = at === undefined ? await this.#page(siteId, page) : await this.#liveAt(siteId, at, page);
    const names = await this.names.of(siteId, caller, rows.map(actorOf));
    const items = rows.map((row) => deployOf(row, present, names.actor(actorOf(row)), this.urls));
    return { items, page: page.page, limit: page.limit, total };
  }

  #page(siteId: string, page: PageRequest): Promise<[DeployRow[], number]> {
    return this.deploys.findAndCount({ where: { siteId }, order: { number: 'desc' }, ...skipAndTake(page) });
  }

  async #liveAt(siteId: string, at: string, { page }: PageRequest): Promise<[DeployRow[], number]> {
    const live = await this.moves.at(siteId, new Date(at));
    const row = live && (await this.deploys.findOneBy({ deployId: live.deployId, siteId }));
    if (!row) return [[], 0];
    return [page === 1 ? [{ ...row, liveFrom: live.liveFrom, liveUntil: live.liveUntil }] : [], 1];
  }
}

const actorOf = (row: DeployRow) => ({
  kind: row.actorKind,
  ...(row.actorId && { id: row.actorId }),
  ...(row.actorClient && { client: row.actorClient }),
  ...(row.actorGrant && { grant: row.actorGrant }),
  ...(row.actorToken && { token: row.actorToken }),
  ...(row.actorPublisher && { publisher: row.actorPublisher }),
});

const deployOf = (row: DeployRow, slug: string, name: string | null, urls: ServiceUrls): z.output<typeof Deploy> => ({
  deployId: row.deployId,
  number: row.number,
  status: row.status,
  files: row.files,
  bytes: Number(row.bytes),
  digest: `sha256:${row.manifest}`,
  ...(row.program !== null && { program: { kind: row.program } }),
  source: row.source,
  message: row.message,
  actor: { ...actorOf(row), ...(name !== null && { name }) },
  ...(row.jobId !== null && { jobId: row.jobId }),
  ...(row.commit !== null && { commit: row.commit }),
  ...(row.trusted !== null && { trusted: row.trusted }),
  ...(row.client !== null && { client: row.client }),
  createdAt: row.createdAt.toISOString(),
  previewUrl: urls.preview(row.deployId),
  ...(row.program === null && { manifestUrl: `${urls.deploy(slug, row.deployId)}/manifest` }),
  ...(row.provenance !== null && { provenanceUrl: `${urls.deploy(slug, row.deployId)}/provenance` }),
  liveFrom: row.liveFrom?.toISOString() ?? null,
  liveUntil: row.liveUntil?.toISOString() ?? null,
});

const tool = mcpTool({
  name: 'list_deploys',
  title: 'List a site’s deploys',
  description:
    'Lists a site’s deploys, newest first. Each deploy has its author, time and message, and a `previewUrl` that still shows it. `status` shows which deploy is live. Pass the IDs of two deploys to diff_deploys to compare them, or the ID of one to rollback to make it live again.',
  scope: 'read',
  needs: 'token',
  effect: 'reads',
  isIdempotent: true,
  quotes: true,
  route: { method: 'GET', path: '/v1/sites/:slug/deploys', query: DeploysQuery, takes: ['editToken'] },
  answer: Deploys,
  say: ({ items, total }) => {
    const live = items.find(({ status }) => status === 'live');
    return `${plural(total, 'deploy')}${live ? `; ${live.deployId} (number ${live.number}) is live` : ''}.`;
  },
});

export const listDeploys: Feature = { tools: [tool], routes: [ListDeploysController], providers: [PointerMoves] };
