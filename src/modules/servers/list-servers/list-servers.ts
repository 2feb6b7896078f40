import { Controller, Get, Query, Req } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Route } from '../../../edge/http/api/route-options.js';
import { buildPageSchema, PageQuery, skipAndTake } from '../../../edge/http/api/schemas/pagination.js';
import { Operator } from '../../../edge/http/auth/operator.js';
import type { Feature } from '../../../nest/features.js';
import { serverStates } from '../../sites/api/server-state.js';
import { ServerLeases } from '../api/server-leases.js';

const Servers = buildPageSchema(
  z.object({
    siteId: z.string(),
    slug: z.string().meta({ description: 'Slug that the site had when the server was started.' }),
    deployId: z.string(),
    kind: z.enum(['next', 'container']),
    state: z.enum(serverStates),
    since: z.string(),
    reason: z.string().optional().meta({ description: 'Why the server crashed.' }),
    worker: z.string().optional().meta({ description: 'Worker process that runs the server, if any.' }),
    memoryBytes: z.number().int().optional(),
    uses: z.number().int().meta({ description: 'Number of requests and WebSocket connections in progress.' }),
    starts: z.number().int(),
    startMs: z.number().int().optional().meta({ description: 'Duration of the last startup, in milliseconds.' }),
  }),
)
  .extend({
    workers: z.number().int().meta({ description: 'Number of worker processes that run servers.' }),
    states: z
      .partialRecord(z.enum(serverStates), z.number().int())
      .meta({ description: 'Number of servers in each state.' }),
  })
  .meta({ id: 'Servers' });

@ApiTags('Operator')
@ApiBearerAuth()
@Controller('v1/admin/servers')
class ListServersController {
  constructor(
    private readonly operator: Operator,
    private readonly leases: ServerLeases,
  ) {}

  @ApiOperation({ summary: 'List site servers, crashed and running ones first' })
  @ApiResponse({ status: 200, standardSchema: Servers, description: 'A page of servers.' })
  @Route({ operator: true })
  @Get()
  async listServers(
    @Query({ schema: PageQuery }) page: z.output<typeof PageQuery>,
    @Req() request: FastifyRequest,
  ): Promise<z.output<typeof Servers>> {
    this.operator.assertCallerOf(request);
    const [rows, { workers, byState }] = await Promise.all([this.leases.list(), this.leases.standing()]);
    const { skip, take } = skipAndTake(page);
    const items = rows
      .slice(skip, skip + take)
      .map(({ digest: _, since, reason, worker, memoryBytes, startMs, ...row }) => ({
        ...row,
        since: since.toISOString(),
        ...(reason !== null && { reason }),
        ...(worker !== null && { worker }),
        ...(memoryBytes !== null && { memoryBytes }),
        ...(startMs !== null && { startMs }),
      }));
    return { items, ...page, total: rows.length, workers, states: Object.fromEntries(byState) };
  }
}

export const listServers: Feature = { routes: [ListServersController] };
