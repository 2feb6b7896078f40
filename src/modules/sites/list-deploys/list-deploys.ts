import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { z } from 'zod';
import { programKinds } from '../../../events/site/program.js';
import { ReadYourWrites } from '../../../http/api/read-your-writes.js';
import { PageQuery, type PageRequest, pageOf, skipAndTake } from '../../../http/api/schemas/pagination.js';
import { ServiceUrls } from '../../../http/api/service-urls.js';
import { Context } from '../../../http/auth/context.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import { agentTool } from '../../../process/nest/agent-tool.js';
import type { Feature } from '../../../process/nest/features.js';
import { DeployRow } from '../../../projections/models/deploy.projection.js';
import { ActorNames } from '../history/actor-names.js';
import { SiteReader } from '../site/site-reader.js';
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
      .object({ kind: z.enum(programKinds) })
      .optional()
      .meta({ description: 'Of a deploy that runs in the place of showing files, of which it has none.' }),
    source: z.enum(['upload', 'repo', 'code', 'mcp']),
    message: z.string().nullable(),
    actor: z.object({
      kind: z.enum(['anonymous', 'user', 'system']),
      id: z.string().optional(),
      name: z.string().optional().meta({
        description:
          'As it is now: a name, else the address for those who see it among the members, else “a member”; “a former member” for a person who was erased; CI “…” for a script with a token.',
      }),
      client: z.string().optional().meta({ description: 'The program that acted for them, as it names itself.' }),
      grant: z.string().optional().meta({ description: 'By which the program may.' }),
      token: z.string().optional().meta({ description: 'That a script acted with.' }),
      publisher: z.string().optional().meta({ description: 'That the token came of.' }),
    }),
    jobId: z.string().optional().meta({ description: 'Of a deploy out of a repository.' }),
    commit: z.string().optional(),
    createdAt: z.string(),
    previewUrl: z.string(),
    manifestUrl: z.string().optional().meta({
      description: 'The bytes whose SHA-256 is `digest`; not of a program, whose bytes are its output or image.',
    }),
    provenanceUrl: z.string().optional().meta({ description: 'How a job made it, signed.' }),
    liveFrom: z.string().nullable().meta({ description: 'Of the latest time it was live.' }),
    liveUntil: z.string().nullable(),
  })
  .meta({ id: 'Deploy' });

const Deploys = pageOf(Deploy);

const DeploysQuery = PageQuery.extend({
  at: z.iso.datetime({ offset: true, error: 'is not a time such as 2026-11-20T10:54:00Z (RFC 3339)' }).optional().meta({
    description:
      'The deploy that was live then, if any, with the `liveFrom` and `liveUntil` of that time: a list of at most one.',
  }),
});

@ApiTags('History')
@Controller('v1/sites/:slug/deploys')
class ListDeploysController {
  constructor(
    @Inject(SiteReader) private readonly reader: SiteReader,
    @InjectRepository(DeployRow) private readonly deploys: Repository<DeployRow>,
    @Inject(ActorNames) private readonly names: ActorNames,
    @Inject(PointerMoves) private readonly moves: PointerMoves,
    @Inject(ServiceUrls) private readonly urls: ServiceUrls,
  ) {}

  @ApiOperation({ summary: 'The deploys of a site, newest first' })
  @ApiResponse({ status: 200, standardSchema: Deploys, description: 'One page of deploys.' })
  @ReadYourWrites()
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
  createdAt: row.createdAt.toISOString(),
  previewUrl: urls.preview(row.deployId),
  ...(row.program === null && { manifestUrl: `${urls.deploy(slug, row.deployId)}/manifest` }),
  ...(row.provenance !== null && { provenanceUrl: `${urls.deploy(slug, row.deployId)}/provenance` }),
  liveFrom: row.liveFrom?.toISOString() ?? null,
  liveUntil: row.liveUntil?.toISOString() ?? null,
});

const tool = agentTool({
  name: 'list_deploys',
  title: 'The deploys of a site',
  description:
    'Lists what was deployed, newest first: who, when, with which message, and where each deploy can still be looked at (`previewUrl`). `status` says which one is live. Give two of them to diff_deploys, or one to rollback.',
  scope: 'read',
  needs: 'token',
  effect: 'reads',
  isIdempotent: true,
  quotes: true,
  route: { method: 'GET', path: '/v1/sites/:slug/deploys', query: DeploysQuery, takes: ['editToken'] },
  answer: Deploys,
  say: ({ items, total }) => {
    const live = items.find(({ status }) => status === 'live');
    return `${total} deploys${live ? `; ${live.deployId} (number ${live.number}) is live` : ''}.`;
  },
});

export const listDeploys: Feature = { tools: [tool], routes: [ListDeploysController], providers: [PointerMoves] };
