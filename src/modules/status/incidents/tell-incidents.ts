import { Body, Controller, Get, Param, Patch, Post, Query, Req } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ApiLinks, buildLinks, fromResponse } from '../../../edge/http/api/description/api-links.js';
import { Route } from '../../../edge/http/api/route-options.js';
import { buildPageSchema, PageQuery, skipAndTake } from '../../../edge/http/api/schemas/pagination.js';
import { NO_NUL, SAYS_SOMETHING_IN_LINES } from '../../../edge/http/api/schemas/texts.js';
import { Operator } from '../../../edge/http/auth/operator.js';
import { Ids, isId } from '../../../kernel/ids.js';
import { quoteId } from '../../../kernel/output/quote-id.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../nest/features.js';
import { StatusBoard } from '../board/status-board.js';
import { componentNames } from '../components.js';
import { IncidentResponse, IncidentStatusName, toIncidentResponse } from './incident-response.js';
import { IncidentStore } from './incidents.js';

const NO_TEXT = 'must not contain NUL characters (U+0000)';

const Title = z.string().trim().min(1).max(200).regex(NO_NUL, NO_TEXT).meta({ pattern: SAYS_SOMETHING_IN_LINES });

const Text = z.string().trim().min(1).max(10_000).regex(NO_NUL, NO_TEXT).meta({
  description: 'Text in Markdown, without HTML or images. Links can use https, http and mailto.',
  pattern: SAYS_SOMETHING_IN_LINES,
});

const Components = z.array(z.enum(componentNames)).max(componentNames.length).meta({
  description: 'Affected components. Empty if all components are affected, or none in particular.',
});

const Telling = z.strictObject({ title: Title, body: Text, components: Components, status: IncidentStatusName });

const Adding = z.strictObject({
  body: Text,
  status: IncidentStatusName.optional(),
  title: Title.optional(),
  components: Components.optional(),
});

const IncidentList = buildPageSchema(IncidentResponse);

@ApiTags('Operator')
@ApiBearerAuth()
@Controller('v1/admin/incidents')
class IncidentsController {
  constructor(
    private readonly operator: Operator,
    private readonly incidents: IncidentStore,
    private readonly board: StatusBoard,
    private readonly ids: Ids,
  ) {}

  @ApiOperation({ summary: 'Report an incident on the status page' })
  @ApiResponse({
    status: 201,
    standardSchema: IncidentResponse,
    description: 'The incident. It now appears on the status page and in its feed.',
  })
  @Route({ operator: true })
  @ApiLinks(...buildLinks({ id: fromResponse('id') }, 'updateIncident'))
  @Post()
  async tellIncident(
    @Body({ schema: Telling }) { title, body, components, status }: z.output<typeof Telling>,
    @Req() request: FastifyRequest,
  ): Promise<z.output<typeof IncidentResponse>> {
    this.operator.assertCallerOf(request);
    const id = this.ids.make('inc');
    await this.incidents.begin({ id, title, components: unique(components), status, body: body.toWellFormed() });
    return this.#told(id);
  }

  @ApiOperation({ summary: 'Add an update to an incident' })
  @ApiResponse({ status: 200, standardSchema: IncidentResponse, description: 'The incident with the new update.' })
  @Route({ operator: true })
  @Patch(':id')
  async updateIncident(
    @Param('id') id: string,
    @Body({ schema: Adding }) { body, status, title, components }: z.output<typeof Adding>,
    @Req() request: FastifyRequest,
  ): Promise<z.output<typeof IncidentResponse>> {
    this.operator.assertCallerOf(request);
    const change = { status: status ?? null, title: title ?? null, components: components ? unique(components) : null };
    const isThere = isId('inc', id) && (await this.incidents.update(id, { ...change, body: body.toWellFormed() }));
    return isThere ? this.#told(id) : unknownIncident(id);
  }

  @ApiOperation({ summary: 'List all incidents, newest first' })
  @ApiResponse({ status: 200, standardSchema: IncidentList, description: 'A page of incidents.' })
  @Route({ operator: true })
  @ApiLinks(...buildLinks({ id: fromResponse('items/0/id') }, 'updateIncident'))
  @Get()
  async listIncidents(
    @Query({ schema: PageQuery }) query: z.output<typeof PageQuery>,
    @Req() request: FastifyRequest,
  ): Promise<z.output<typeof IncidentList>> {
    this.operator.assertCallerOf(request);
    const { items, total } = await this.incidents.list(skipAndTake(query));
    return { items: items.map(toIncidentResponse), page: query.page, limit: query.limit, total };
  }

  /**
   * Updates the status page of this process before the response is sent. Other processes show the change within ten
   * seconds.
   */
  async #told(id: string): Promise<z.output<typeof IncidentResponse>> {
    const incident = await this.incidents.find(id);
    await this.board.refreshAnew();
    return incident ? toIncidentResponse(incident) : unknownIncident(id);
  }
}

const unique = (names: z.output<typeof Components>) => [...new Set(names)];

const unknownIncident = (id: string) => refuse('not_found', `No incident has the ID ${quoteId(id)}.`);

export const tellIncidents: Feature = { routes: [IncidentsController] };
